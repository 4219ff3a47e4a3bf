import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { type BundledPages, bundlePages } from '../../lib/adapters/pages/bundle-pages.ts';

/** Bytes. */
const MOST = 40_000;

let pages: BundledPages;
beforeAll(async () => {
  pages = await bundlePages();
});

test('the script of the pages is at most 40 kB, compressed', () => {
  const size = gzipSync(pages.files['console.js'] ?? '').length;
  expect(size).toBeGreaterThan(5_000);
  expect(size).toBeLessThanOrEqual(MOST);
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
  expect(pages.files['console.js']).not.toMatch(
    /document\.write|insertAdjacentHTML|new Function|\beval\(/,
  );
});
