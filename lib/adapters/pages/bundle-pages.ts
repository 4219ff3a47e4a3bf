import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGES = `${ROOT}lib/console/pages/`;

export interface BundledPages {
  readonly files: Readonly<Record<string, string>>;
  readonly metafile: Metafile;
}

/** What the icon of a tab says with its colour. */
const ICON_COLOURS = { rolling: '#1f6fd0', wants: '#e0930a', bad: '#d3303a' } as const;

/** Makes scripts and one style sheet of the pages, for a browser. What only another page needs is a script of its own. */
export async function bundlePages(): Promise<BundledPages> {
  const { outputFiles, metafile } = await build({
    // The folder in which the process has begun may be gone.
    absWorkingDir: ROOT,
    entryPoints: ['main.tsx', 'console.css'].map((name) => ({ in: PAGES + name, out: 'console' })),
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    minify: true,
    write: false,
    metafile: true,
    outdir: PAGES,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.md': 'text' },
    legalComments: 'none',
    logLevel: 'warning',
    tsconfigRaw: {},
  });
  const bundled = outputFiles.map(({ path, text }) => [path.slice(PAGES.length), text]);
  const asTheyAre = ['index.html', 'icon.svg'].map((name) => [
    name,
    readFileSync(PAGES + name, 'utf8'),
  ]);
  const icon = readFileSync(`${PAGES}icon.svg`, 'utf8');
  const icons = Object.entries(ICON_COLOURS).map(([name, colour]) => [
    `icon-${name}.svg`,
    icon.replace(/fill="[^"]*"/, `fill="${colour}"`),
  ]);
  return { files: Object.fromEntries([...bundled, ...asTheyAre, ...icons]), metafile };
}
