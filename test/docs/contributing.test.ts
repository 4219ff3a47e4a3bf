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

test('what CONTRIBUTING.md says is in a file is there', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const found = [...text.matchAll(/`(\w+)`(?: beside it,)? in `(\w[\w.-]*\/[\w/.-]+\.ts)`/g)];
  const isThere = (word: string, file: string) =>
    ['', 'lib']
      .map((folder) => join(ROOT, folder, file))
      .some((path) => existsSync(path) && readFileSync(path, 'utf8').includes(word));

  expect(found.length).toBeGreaterThan(10);
  expect(found.filter(([, word = '', file = '']) => !isThere(word, file))).toEqual([]);
});

test.each(globSync(['*.md', '{contributing,docs}/**/*.md'], { cwd: ROOT }))(
  'every source file that %s names is there',
  (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    // What a run has found, for example, names the files as they were then.
    const written = text.replaceAll(/written by npm run docs -->.*?<!-- end of /gs, '');
    const named = [...written.matchAll(/`((?:bin|functions|lib|test)\/[\w./-]+)`/g)];
    expect(named.filter(([, path = '']) => !existsSync(join(ROOT, path)))).toEqual([]);
  },
);
