import type { KnownMutant } from './known-mutant.ts';

/** Those of endpoints. */
export const UNTOLD_IN_ENDPOINTS: readonly KnownMutant[] = [
  {
    file: 'lib/domain/endpoint/observe-endpoint.ts',
    within: 'goesAsBroken',
    operations: ['_ === _ -> false (2 of 4)'],
    why: 'On the way back a broken endpoint was rolled, and it shows a healthy status before its target shows the roll. Then it takes a place among those that may be unavailable, or it goes on beside them. The docs say how a broken endpoint is chosen, and not what it counts as after its roll.',
  },
];
