import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { GENERATED_PARTS } from './generated-parts.ts';
import { replaceMarked } from './marked-part.ts';

// The key policy is rendered in an app of the CDK.
afterAll(() => CloudAssembly.cleanupTemporaryDirectories());

test.each(GENERATED_PARTS)('$name in $file is what the code says: npm run docs', async (part) => {
  const text = readFileSync(new URL(`../../${part.file}`, import.meta.url), 'utf8');
  expect(replaceMarked(text, part.name, await part.render())).toBe(text);
});
