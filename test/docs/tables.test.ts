import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readDoc } from './code-blocks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = ['*.md', '{contributing,docs}/**/*.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: ROOT }),
);

// A blank line ends a table, and the rows after it are shown as text.
test.each(PAGES)('every table of %s begins with its head', (page) => {
  const text = readDoc(page).replaceAll(/^ *```.*?^ *```/gms, '');
  const tables = text.match(/(?:^ *\|.*\n)+/gm) ?? [];
  const headless = tables.filter((table) => !/^.*\n *\|[ :|-]+\|\n/.test(table));
  expect(headless).toEqual([]);
});
