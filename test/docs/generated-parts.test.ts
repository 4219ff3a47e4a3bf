import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { GENERATED_PARTS } from './generated-parts.ts';
import { replaceMarked } from './marked-part.ts';

test.each(GENERATED_PARTS)('$name in $file is what the code says: npm run docs', (part) => {
  const text = readFileSync(new URL(`../../${part.file}`, import.meta.url), 'utf8');
  expect(replaceMarked(text, part.name, part.render())).toBe(text);
});
