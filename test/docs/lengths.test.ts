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
];
const LONGEST_PARAGRAPH = 120;

const PAGES = MOST.flatMap(([pattern, most]) =>
  globSync(pattern, { cwd: ROOT }).map((page) => [page, most] as const),
);

test.each(PAGES)('%s has at most %i words', (page, most) => {
  expect(wordsOf(withoutCode(page)).length).toBeLessThanOrEqual(most);
});

test.each(PAGES)('no paragraph of %s is a wall', (page) => {
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
