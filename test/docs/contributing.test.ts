import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('every file and folder that CONTRIBUTING.md names is there', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const named = [...text.matchAll(/`([a-z-]+(?:\/[a-z-]+)+(?:\.ts)?)`/g)].map(([, path]) => path);
  const isThere = (path: string) =>
    ['', 'lib'].some((folder) => existsSync(join(ROOT, folder, path)));

  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => path !== undefined && !isThere(path))).toEqual([]);
});

test.each([...globSync('*.md', { cwd: ROOT }), ...globSync('docs/**/*.md', { cwd: ROOT })])(
  'every source file that %s names is there',
  (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    // What a run has found, for example, names the files as they were then.
    const written = text.replaceAll(/written by npm run docs -->.*?<!-- end of /gs, '');
    const named = [...written.matchAll(/`((?:bin|functions|lib|test)\/[\w./-]+)`/g)];
    expect(named.filter(([, path = '']) => !existsSync(join(ROOT, path)))).toEqual([]);
  },
);
