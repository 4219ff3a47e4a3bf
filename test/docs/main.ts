import { readFileSync, writeFileSync } from 'node:fs';
import { GENERATED_PARTS } from './generated-parts.ts';
import { replaceMarked } from './marked-part.ts';

for (const { file, name, render } of GENERATED_PARTS) {
  writeFileSync(file, replaceMarked(readFileSync(file, 'utf8'), name, await render()));
}
