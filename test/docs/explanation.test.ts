import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readDoc } from './code-blocks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = globSync('docs/explanation/*.md', { cwd: ROOT });

test.each(PAGES)('%s has one picture, in the colours of whoever reads it', (page) => {
  const pictures = [...readDoc(page).matchAll(/^```mermaid\n(.*?)^```/gms)];
  expect(pictures).toHaveLength(1);
  // GitHub draws a picture without a theme for a light and for a dark page.
  expect(pictures[0]?.[1]).not.toMatch(/\btheme|\bstyle |\bclassDef |#[0-9a-f]{3,6}\b/i);
});

test.each(PAGES)('the index of the pages has %s', (page) => {
  expect(readDoc('docs/README.md')).toContain(`(explanation/${basename(page)})`);
});
