import { readFileSync } from 'node:fs';
import { fileExists } from '../machine/files.ts';

/** Every file of the pages: its name, and how it is served. */
const PAGE_FILES = {
  'index.html': { path: '/', type: 'text/html; charset=utf-8' },
  'console.js': { path: '/console.js', type: 'text/javascript; charset=utf-8' },
  'icon.svg': { path: '/icon.svg', type: 'image/svg+xml' },
  'icon-rolling.svg': { path: '/icon-rolling.svg', type: 'image/svg+xml' },
  'icon-wants.svg': { path: '/icon-wants.svg', type: 'image/svg+xml' },
  'icon-bad.svg': { path: '/icon-bad.svg', type: 'image/svg+xml' },
  'console.css': { path: '/console.css', type: 'text/css; charset=utf-8' },
} as const;

/** In the package the pages are a folder beside the program. In a checkout they are bundled when they are needed. */
export async function readPages() {
  const folder = new URL('./pages/', import.meta.url);
  const files = fileExists(folder) ? null : await bundleNow();
  return Object.entries(PAGE_FILES).map(([name, how]) => ({
    ...how,
    body: files?.[name] ?? readFileSync(new URL(name, folder), 'utf8'),
  }));
}

async function bundleNow(): Promise<Readonly<Record<string, string>>> {
  // esbuild is there in a checkout, and the package does without it.
  const { bundlePages } = await import('./bundle-pages.ts');
  return (await bundlePages()).files;
}
