import { randomUUID } from 'node:crypto';
import { registerHooks } from 'node:module';
import { forgetSecret, rememberSecret } from '../../../lib/adapters/http/known-secrets.ts';

const GLOBALS = new URL('./globals.ts', import.meta.url).href;

/** The runner loads each test file under a name of its own. */
const TEST_FILE = /\.(?:test|proof|browser)\.ts\?\d+$/;

/** So many newer secrets make a process forget all that it knew. */
const NEWER = Array.from({ length: 100 }, () => randomUUID());

registerHooks({
  resolve(specifier, context, nextResolve) {
    // Outside of jest's own sandbox the package refuses to be loaded.
    if (specifier === '@jest/globals') {
      return { url: GLOBALS, format: 'module-typescript', shortCircuit: true };
    }
    // What another file in this thread has used as a secret is a word like any other in this one.
    if (TEST_FILE.test(specifier)) {
      NEWER.forEach(rememberSecret);
      NEWER.forEach(forgetSecret);
    }
    return nextResolve(specifier, context);
  },
});
