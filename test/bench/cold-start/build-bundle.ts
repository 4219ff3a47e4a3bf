import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { functionBundling } from '../../../lib/constructs/resources/bundle-function.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Bundles a handler as the functions are bundled for AWS, and answers the bytes of the bundle.
 *
 * @param http2 For clients that do not start without it. @default false
 */
export async function buildBundle(entry: string, outfile: string, http2 = false): Promise<number> {
  const { alias, ...bundling } = functionBundling('rest');
  await build({
    ...bundling,
    // A command that ran in this process before may have been in another folder, which esbuild would remember.
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    alias: http2 ? {} : alias,
    logLevel: 'error',
  });
  return (await stat(outfile)).size;
}
