import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';
import type { ServiceKind } from '../../contract/service/services.ts';

/** The kind of service that a function calls. `none`: it calls none, and the clients of all stay out of the bundle. */
export type BundledFor = ServiceKind | 'none';

/**
 * The SDK loads these modules only when the environment has no credentials, and in Lambda it always has. Without them
 * a bundle is 125 kB smaller.
 */
const OTHER_CREDENTIALS = [
  ...['http', 'ini', 'process', 'sso', 'web-identity'].map(
    (source) => `@aws-sdk/credential-provider-${source}`,
  ),
  '@smithy/credential-provider-imds',
];

/**
 * This module does not exist, so undici takes Node.js for one without HTTP/2. Otherwise every cold start would wait
 * for node:http2, which the client does not use.
 */
const NO_HTTP2 = 'no-http2';

/** @param serviceKind The client of any other kind of service stays out of the bundle. */
export function functionBundling(serviceKind: BundledFor) {
  return {
    bundle: true,
    platform: 'node',
    // The format is CommonJS, because as an ES module undici needs a shim for `require` and loads a fifth slower.
    format: 'cjs',
    mainFields: ['module', 'main'],
    target: 'node24',
    minify: true,
    // The bundle has the SDK that was tested, and not the one that the runtime happens to have.
    external: [...OTHER_CREDENTIALS, NO_HTTP2],
    alias: { 'node:http2': NO_HTTP2 },
    define: {
      // This is undici's own switch for bundles. Without it, a second HTTP parser that is never used adds 180 kB.
      esbuildDetection: 'true',
      ONLY_SERVICE: JSON.stringify(serviceKind),
    },
    logLevel: 'warning',
  } satisfies BuildOptions;
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Bundles a function of this repository. The published package has the bundles, and does without esbuild.
 *
 * @param entry Name of the file in functions/, without its ending.
 * @param folder Where `index.js` is written.
 */
export function bundleFunction(entry: string, serviceKind: BundledFor, folder: string): void {
  const { buildSync }: typeof import('esbuild') = createRequire(import.meta.url)('esbuild');
  buildSync({
    ...functionBundling(serviceKind),
    // A command that ran in this process before may have been in another folder, which esbuild would remember.
    absWorkingDir: ROOT,
    entryPoints: [`functions/${entry}.ts`],
    outfile: `${folder}/index.js`,
  });
}
