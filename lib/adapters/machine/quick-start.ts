import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { inHome } from './environment.ts';

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

/**
 * Loads nothing in the place of zod's messages in other languages from now on. Its entry point imports some 60 of them, a
 * file for each, and they take as long to load as all the rest of it. English is imported by its own name. A bundle
 * leaves them out by itself.
 */
export function leaveOutLanguages(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === '../locales/index.js' && context.parentURL?.includes('/zod/v4/') === true
        ? { url: 'data:text/javascript,', shortCircuit: true }
        : next(specifier, context),
  });
}
