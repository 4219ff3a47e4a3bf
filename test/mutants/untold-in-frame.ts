import type { KnownMutant } from './known-mutant.ts';

/** Those of what all steps have in common, and of leases. */
export const UNTOLD_IN_FRAME: readonly KnownMutant[] = [];
