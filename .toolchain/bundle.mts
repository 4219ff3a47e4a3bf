import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { bundlePages } from '../lib/adapters/pages/bundle-pages.ts';

/**
 * Bundles the command line for the package. From one file it starts in half the time that it takes from hundreds, and
 * as CommonJS faster than as an ES module (contributing/performance.md). `npm run build` gives another
 * folder, so that what was built before stays until all of the new is there.
 */
const [, , FOLDER = 'dist/bin'] = process.argv;

/** These packages are large, only some commands need them, and the library has them anyway. */
const INSTALLED = ['@aws-sdk/*', 'fastify'];

/** This module does not exist, so undici takes Node.js for one without HTTP/2, which the client does not use. */
const NO_HTTP2 = 'no-http2';

const common = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  minify: true,
  // The names of functions are in stack traces.
  keepNames: true,
  // What is imported later is loaded by require, because import() first looks through the whole file for its exports.
  supported: { 'dynamic-import': false },
  logLevel: 'warning',
  metafile: true,
} satisfies BuildOptions;

/** The entry checks the version and turns on the compile cache. Only code that is loaded after it is kept. */
const entry = { entryPoints: ['bin/steproll.ts'], outfile: `${FOLDER}/steproll.cjs` };
const main = { entryPoints: ['lib/commands/program.ts'], outfile: `${FOLDER}/main.cjs` };

/** Many rehearsals run it in threads, from a file beside the command line's. */
const thread = { entryPoints: ['lib/rehearsal/thread.ts'], outfile: `${FOLDER}/thread.cjs` };

const mainStandsBeside: Plugin = {
  name: 'main-stands-beside',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/commands\/program\.ts$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './main.cjs', external: true },
    ),
};

await build({ ...common, ...entry, plugins: [mainStandsBeside] });
const inOneFile = {
  ...common,
  // The pages are bundled below, so the program does without esbuild.
  external: [...INSTALLED, NO_HTTP2, 'esbuild'],
  alias: { 'node:http2': NO_HTTP2 },
  define: {
    // This is undici's own switch for bundles. Without it, a second HTTP parser that is never used adds 180 kB.
    esbuildDetection: 'true',
    'import.meta.url': 'moduleUrl',
  },
  banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
} satisfies BuildOptions;
await build({ ...inOneFile, ...thread });
const { metafile } = await build({ ...inOneFile, ...main });
const pages = await bundlePages();
mkdirSync(`${FOLDER}/pages`);
for (const [name, text] of Object.entries(pages.files)) {
  writeFileSync(`${FOLDER}/pages/${name}`, text);
}
const inputs = { ...metafile.inputs, ...pages.metafile.inputs };
writeFileSync(`${FOLDER}/LICENSES.txt`, licensesOf({ inputs }));

/** The licenses of the packages in a bundle, which ask to be kept with the code. */
function licensesOf({ inputs }: Pick<Metafile, 'inputs'>): string {
  const folders = Object.keys(inputs).map((path) =>
    /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path),
  );
  return [...new Set(folders.flatMap((found) => found ?? []))]
    .toSorted()
    .map((folder) => `${folder}\n\n${readLicense(folder)}`)
    .join('\n\n');
}

function readLicense(folder: string): string {
  for (const name of ['LICENSE', 'license', 'LICENSE.md', 'LICENSE.txt']) {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch {
      // The file has another name.
    }
  }
  throw new Error(`${folder} has no license file.`);
}
