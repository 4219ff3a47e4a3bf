import { beforeAll, expect, test } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { type BundledPages, bundlePages } from '../../lib/adapters/pages/bundle-pages.ts';
import { keepCompressed } from '../../lib/console/server/compress.ts';

/** Bytes. What is left of 32 kB is for the document, the first look and its headers. */
const MOST_AT_FIRST = 25_500;

let pages: BundledPages;
beforeAll(async () => {
  pages = await bundlePages();
});

/** What a browser loads of the scripts before it can show the list. */
function loadedAtFirst({ outputs }: BundledPages['metafile']): readonly string[] {
  const names = new Set(['console.js']);
  for (const name of names) {
    const [, output] = Object.entries(outputs).find(([path]) => path.endsWith(`/${name}`)) ?? [];
    for (const { path, kind } of output?.imports ?? []) {
      if (kind === 'import-statement') names.add(path.split('/').at(-1) ?? '');
    }
  }
  return [...names];
}

test('the list needs at most 25.5 kB of scripts and style, compressed as the console does it', async () => {
  const names = [...loadedAtFirst(pages.metafile), 'console.css'];
  expect(names.length).toBeGreaterThan(1);
  const sizes = names.map((name) => compressed(pages.files[name] ?? ''));
  const size = (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
  expect(size).toBeGreaterThan(5_000);
  expect(size).toBeLessThanOrEqual(MOST_AT_FIRST);
});

async function compressed(text: string): Promise<number> {
  const reply = { headers() {}, removeHeader() {} } as unknown as FastifyReply;
  return (await keepCompressed(text)({ headers: { 'accept-encoding': 'br' } }, reply)).length;
}

test('the runbook is loaded only where it is shown', () => {
  const { outputs } = pages.metafile;
  const first = loadedAtFirst(pages.metafile);
  const [path = ''] =
    Object.entries(outputs).find(([, { inputs }]) => 'docs/runbook.md' in inputs) ?? [];
  expect(first).not.toContain(path.split('/').at(-1));
});

test('the pages are made of nothing but these parts', () => {
  const packages = Object.keys(pages.metafile.inputs).flatMap(
    (path) => /node_modules\/([^/]+)/.exec(path)?.[1] ?? [],
  );
  expect([...new Set(packages)]).toEqual(['preact']);
});

test('the pages never take a text for markup', () => {
  const own = Object.keys(pages.metafile.inputs).filter((path) =>
    path.includes('lib/console/pages/'),
  );
  expect(own.length).toBeGreaterThan(5);
  for (const text of Object.values(pages.files)) {
    expect(text).not.toMatch(/document\.write|insertAdjacentHTML|new Function|\beval\(/);
  }
});
