import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Lets Node.js keep what it compiles from now on, so that the next command starts in half the time. The cache is in
 * `$XDG_CACHE_HOME/steproll`, or `~/.cache/steproll`. Node.js itself would choose the folder for temporary files, but
 * code that others may write there would be run. If `NODE_COMPILE_CACHE` names a folder, that one is used.
 */
export function keepCompiled(): void {
  const folder = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  enableCompileCache(join(folder, 'steproll'));
}
