import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = globSync(['*.md', '{contributing,docs}/**/*.md'], { cwd: ROOT });

test.each(PAGES)('every link of %s leads somewhere', (page) => {
  const broken = linksOf(page).filter((link) => !leadsSomewhere(page, link));
  expect(broken).toEqual([]);
});

test.each(globSync('docs/**/*.md', { cwd: ROOT }))(
  'every link of %s leads to what the package has',
  (page) => {
    const paths = linksOf(page).map((link) =>
      join(dirname(page), link.split('#')[0] || basename(page)),
    );
    expect(paths.filter((path) => !/^(docs|schemas|README\.md$)/.test(path))).toEqual([]);
  },
);

test('the index leads to every page', () => {
  const index = withoutCode('docs/README.md');
  const pages = globSync('docs/*.md', { cwd: ROOT }).map((page) => page.replace('docs/', ''));
  const left = pages.filter((page) => page !== 'README.md' && !index.includes(`(${page})`));
  expect(left).toEqual([]);
});

function linksOf(page: string): string[] {
  const links = withoutCode(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g);
  return [...links].map(([, link = '']) => link);
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** As GitHub makes them of headings. */
function anchorsOf(page: string): string[] {
  return [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replaceAll(/^ *```.*?^ *```/gms, '');
}
