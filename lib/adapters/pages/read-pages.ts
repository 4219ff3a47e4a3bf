import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileExists } from '../machine/files.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Every file of the pages, and how it is served. In the package the pages are a folder beside the program. In a checkout
 * they are bundled when they are needed.
 */
export async function readPages() {
  const folder = new URL('./pages/', import.meta.url);
  const files = fileExists(folder) ? readFolder(folder) : await bundleNow();
  return Object.entries(files).map(([name, body]) => ({
    path: name === 'index.html' ? '/' : `/${name}`,
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    body,
  }));
}

function readFolder(folder: URL): Readonly<Record<string, string>> {
  const names = readdirSync(folder);
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
  );
}

async function bundleNow(): Promise<Readonly<Record<string, string>>> {
  // esbuild is there in a checkout, and the package does without it.
  const { bundlePages } = await import('./bundle-pages.ts');
  return (await bundlePages()).files;
}
