import type { KnownMutant } from './known-mutant.ts';

/** Those of endpoints. */
export const UNTOLD_IN_ENDPOINTS: readonly KnownMutant[] = [
  {
    file: 'lib/domain/endpoint/observe-endpoint.ts',
    within: 'goesAsBroken',
    operations: ['_ === _ -> false (2 of 4)'],
    why: 'On the way back a broken endpoint was rolled, and it shows a healthy status before its target shows the roll. Then it takes a place among those that may be unavailable, or it goes on beside them. The docs say how a broken endpoint is chosen, and not what it counts as after its roll.',
  },
  {
    file: 'lib/domain/endpoint/observe-endpoint.ts',
    within: 'spentSince',
    operations: ['_ >= _ -> _ > _'],
    why: 'Only when the clock was set back to the very millisecond of the last roll does the minute after it not begin anew. Between a roll and the next read there is a wait, so it is no new roll, and the minute is over either way.',
  },
  {
    file: 'lib/domain/endpoint/observe-endpoint.ts',
    within: 'spentSince',
    operations: ['_ >= _ -> true'],
    why: 'When the clock was set back, an endpoint that does not roll is told at the progress deadline instead of a minute after its second roll, and a loss that is tolerated is waited for as long. Both count it as lost in the end, and the judges give a clock that is off its time.',
  },
];
