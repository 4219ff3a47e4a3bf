import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readDoc } from './code-blocks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The most words of a page of each kind, code left out: what somebody reads in one go. */
const MOST: readonly (readonly [string, number])[] = [
  ['README.md', 1_100],
  ['docs/how-to/*.md', 300],
  ['docs/tutorials/*.md', 500],
  ['docs/explanation/*.md', 1_000],
  ['docs/decisions/[0-9]*.md', 250],
];
const LONGEST_PARAGRAPH = 120;

/** Pages to look things up in: as long as what there is to say, and without walls. */
const LOOKED_UP: readonly string[] = [
  'CONTRIBUTING.md',
  'docs/agentcore.md',
  'docs/architecture.md',
  'docs/cdk.md',
  'docs/checks.md',
  'docs/console.md',
  'docs/cost.md',
  'docs/counted.md',
  'docs/deploy.md',
  'docs/emulator.md',
  'docs/glossary.md',
  'docs/groups.md',
  'docs/holds.md',
  'docs/network.md',
  'docs/operations.md',
  'docs/proof/*.md',
  'docs/runbook.md',
  'docs/security.md',
];

const PAGES = MOST.flatMap(([pattern, most]) =>
  globSync(pattern, { cwd: ROOT }).map((page) => [page, most] as const),
);
const WITHOUT_WALLS = [
  ...PAGES.map(([page]) => page),
  ...LOOKED_UP.flatMap((pattern) => globSync(pattern, { cwd: ROOT })),
];

test.each(PAGES)('%s has at most %i words', (page, most) => {
  expect(wordsOf(withoutCode(page)).length).toBeLessThanOrEqual(most);
});

test.each(WITHOUT_WALLS)('no paragraph of %s is a wall', (page) => {
  const paragraphs = withoutCode(page).split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) ?)/);
  const walls = paragraphs.filter((text) => wordsOf(text).length > LONGEST_PARAGRAPH);
  expect(walls).toEqual([]);
});

function withoutCode(page: string): string {
  return readDoc(page).replaceAll(/^ *```.*?^ *```/gms, '');
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => /\p{L}|\d/u.test(word));
}
