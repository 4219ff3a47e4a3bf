import type { KnownMutant } from './known-mutant.ts';

/** Those of endpoints. */
export const UNTOLD_IN_ENDPOINTS: readonly KnownMutant[] = [];
