import type { KnownMutant } from './known-mutant.ts';

/** Those of waves, of plans and of turns. */
export const UNTOLD_IN_WAVES: readonly KnownMutant[] = [];
