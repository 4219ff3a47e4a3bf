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
    file: 'lib/steps/frame/read-wave.ts',
    within: 'triedFor',
    operations: ['_ >= _ -> _ > _'],
    why: 'It differs only when the clock has gone back to the very millisecond of the last list. By the clock no time has passed since then, and by the waits some has. No page says which of the two counts when they disagree.',
  },
  {
    file: 'lib/steps/frame/read-wave.ts',
    within: 'readMsOf',
    operations: ['_ <= _ -> _ < _'],
    why: 'It differs only when a read has taken exactly two minutes by the clock. No page says from which length on a read is taken for a clock that has jumped.',
  },
  {
    file: 'lib/steps/check-wave.ts',
    within: 'beginBake',
    operations: ['_.min(…) -> _.max(…)'],
    why: 'A rollout that was resumed after its bake ends at the next silent answer of its gate. The judges know only for how long a gate may be silent at most when a process has died meanwhile.',
  },
  {
    file: 'lib/steps/verify-wave.ts',
    within: 'verifyWave',
    operations: ['_ === _ -> false (3 of 4)'],
    why: 'A gate that was silent after the bake gets no new deadline when a loss that was tolerated is there again in between. No rollout draws the two together, and no page says which of the two it is.',
  },
  {
    file: 'lib/steps/opening/lease.ts',
    within: 'conflictWith',
    operations: ['_ !== _ -> false'],
    why: 'It differs only when the other rollout ends after its lease has refused this one, and before its record is read. Then it counts as under way, as it does when it ends a moment later, and nobody outside can tell the two moments apart. A rollout that has ended hears no request to give way.',
  },
];
