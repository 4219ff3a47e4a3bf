import { registerHooks } from 'node:module';

const GLOBALS = new URL('./globals.ts', import.meta.url).href;

// Outside of jest's own sandbox the package refuses to be loaded.
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@jest/globals'
      ? { url: GLOBALS, format: 'module-typescript', shortCircuit: true }
      : nextResolve(specifier, context),
});
