import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readDoc } from './code-blocks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = globSync(['README.md', 'docs/**/*.md'], { cwd: ROOT });

/** Words of a dialect that only we know, and what people look for. */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/\bbut for\b/i, 'except'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\banew\b/i, 'again'],
  [/\b(?:a|the|no) no\b|\bnoes\b/i, 'a failing gate, a rejection'],
  [/\bst(?:and|ands|ood) still\b/i, 'is paused'],
  [/\bwhoever\b/i, 'a noun'],
  [/\bway back\b/i, 'rollback'],
  [/\bold (?:list|answer)s?\b/i, 'stale list, stale read'],
];

test.each(INSTEAD)('no page says %s; it says: %s', (words) => {
  const said = PAGES.filter((page) => words.test(writtenIn(page)));
  expect(said).toEqual([]);
});

/** Without code, and without what is drawn from code. */
function writtenIn(page: string): string {
  return readDoc(page)
    .replaceAll(/<!-- (.+?): written by npm run docs -->.*?<!-- end of \1 -->/gs, '')
    .replaceAll(/^ *```.*?^ *```/gms, '');
}
