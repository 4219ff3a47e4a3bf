import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { inHome } from './home.ts';

/**
 * Lets Node.js keep what it compiles from now on, so that the next command starts in half the time. The cache is in
 * `$XDG_CACHE_HOME/steproll`, or `~/.cache/steproll`. Node.js itself would choose the folder for temporary files, but
 * code that others may write there would be run. If `NODE_COMPILE_CACHE` names a folder, that one is used.
 * Without a home folder nothing is kept.
 */
export function keepCompiled(): void {
  const folder = process.env.XDG_CACHE_HOME || inHome('.cache');
  if (folder !== null) enableCompileCache(join(folder, 'steproll'));
}
