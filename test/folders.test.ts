import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** In a folder with more files than this, nobody sees where to begin. */
const MANY = 10;
const LONGEST = 10;

const files = globSync('lib/**/*.{ts,tsx}', { cwd: ROOT });
const large = [...Map.groupBy(files, dirname)]
  .filter(([, own]) => own.length > MANY)
  .map(([folder]) => folder)
  .sort();

test.each(large)('%s says what it is for, what it may import, and where to begin', (folder) => {
  const text = readFileSync(join(ROOT, folder, 'README.md'), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(LONGEST);
  expect(text).toContain('It may import ');
  const [, begin = ''] = text.split('Begin with ');
  const named = [...begin.matchAll(/`([\w/-]+\.tsx?)`/g)].map(([, file = '']) => file);
  expect(named).not.toEqual([]);
  expect(named.filter((file) => !existsSync(join(ROOT, folder, file)))).toEqual([]);
});

test('only those folders have one', () => {
  expect(globSync('lib/**/README.md', { cwd: ROOT }).map(dirname).sort()).toEqual(large);
});
