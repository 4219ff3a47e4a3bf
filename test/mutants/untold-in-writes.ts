import type { KnownMutant } from './known-mutant.ts';

/** Those of the steps that open, write, turn around and close. */
export const UNTOLD_IN_WRITES: readonly KnownMutant[] = [];
