import type { KnownMutant } from './known-mutant.ts';

/** Those of what all steps have in common, and of leases. */
export const UNTOLD_IN_FRAME: readonly KnownMutant[] = [
  {
    file: 'lib/steps/frame/read-wave.ts',
    within: 'readWave',
    operations: ['_ !== _ -> false (2 of 4)'],
    why: 'A rollout that is resumed just after it has turned around reads the list at once, and not after a poll interval. Both ways decide on a fresh list, and no page says how soon the first look of a resumed rollout comes.',
  },
  {
    file: 'lib/steps/verify-wave.ts',
    within: 'verifyWave',
    operations: ['_ === _ -> false (2 of 3)'],
    why: 'A gate that was silent after the bake gets no new deadline when a loss that was tolerated is there again in between. No rollout draws the two together, and no page says which of the two it is.',
  },
  {
    file: 'lib/steps/opening/lease.ts',
    within: 'waitForHolder',
    operations: ['_ !== _ -> false (2 of 2)'],
    why: 'It differs only when the other rollout ends after its lease has refused this one, and before its record is read. Then it counts as under way, as it does when it ends a moment later, and nobody outside can tell the two moments apart. A rollout that has ended hears no request to give way.',
  },
];
