import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/**/*.md', { cwd: ROOT })];

test.each(PAGES)('every link of %s leads somewhere', (page) => {
  const links = [...withoutCode(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)];
  const broken = links.map(([, link = '']) => link).filter((link) => !leadsSomewhere(page, link));
  expect(broken).toEqual([]);
});

test('the index leads to every page', () => {
  const index = withoutCode('docs/README.md');
  const pages = globSync('docs/*.md', { cwd: ROOT }).map((page) => page.replace('docs/', ''));
  const left = pages.filter((page) => page !== 'README.md' && !index.includes(`(${page})`));
  expect(left).toEqual([]);
});

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
