import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readDoc } from './code-blocks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The most words of a page of each kind, code left out: what somebody reads in one go. */
const MOST: readonly (readonly [string, number])[] = [
  ['README.md', 900],
  ['docs/how-to/*.md', 400],
  ['docs/tutorials/*.md', 500],
  ['docs/explanation/!(stale-reads).md', 1_000],
  // One picture, and one table, of everything that a look decides.
  ['docs/explanation/stale-reads.md', 1_400],
  ['contributing/decisions/[0-9]*.md', 250],
];
/** No page has a wall of text. */
const WITHOUT_WALLS: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  '{contributing,docs}/**/*.md',
];
const LONGEST_PARAGRAPH = 120;

/** Of all pages together. What programs write is there to look things up, and nobody reads it in one go. */
const MOST_OF_ALL = 27_000;
/** A page more makes every other one harder to find. */
const MOST_PAGES = 45;

const pagesOf = (pattern: string) => globSync(pattern, { cwd: ROOT });
const PAGES = MOST.flatMap(([pattern, most]) =>
  pagesOf(pattern).map((page) => [page, most] as const),
);
test.each(PAGES)('%s has at most %i words', (page, most) => {
  expect(wordsOf(writtenIn(page)).length).toBeLessThanOrEqual(most);
});

test.each(WITHOUT_WALLS.flatMap(pagesOf))('no paragraph of %s is a wall', (page) => {
  const paragraphs = writtenIn(page).split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) ?)/);
  const walls = paragraphs.filter((text) => wordsOf(text).length > LONGEST_PARAGRAPH);
  expect(walls).toEqual([]);
});

test('all pages of docs together can be read', () => {
  const words = pagesOf('docs/**/*.md').flatMap((page) => wordsOf(writtenIn(page)));
  expect(words.length).toBeLessThanOrEqual(MOST_OF_ALL);
  expect(pagesOf('docs/**/*.md').length).toBeLessThanOrEqual(MOST_PAGES);
});

/** What people have written: without code, and without what `npm run docs` writes between its marks. */
function writtenIn(page: string): string {
  return readDoc(page)
    .replaceAll(/<!-- (.+?): written by npm run docs -->.*?<!-- end of \1 -->/gs, '')
    .replaceAll(/^ *```.*?^ *```/gms, '');
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => /\p{L}|\d/u.test(word));
}
