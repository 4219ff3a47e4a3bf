import type { KnownMutant } from './known-mutant.ts';

/** Those of the steps that open, write, turn around and close. */
export const UNTOLD_IN_WRITES: readonly KnownMutant[] = [
  {
    file: 'lib/steps/frame/attempt-writes.ts',
    within: 'attemptWrites',
    operations: ['_ < _ -> true (1 of 2)'],
    why: 'A batch goes on with its writes after 200 s, or 540 s for stops, instead of leaving them to the next look. No sentence says for how long a batch begins writes: the limit keeps AWS from ending the function in the midst of one, and the simulation ends no function because of its time.',
  },
  {
    file: 'lib/steps/frame/attempt-writes.ts',
    within: 'attemptWrites',
    operations: ['_ < _ -> _ <= _ (1 of 2)'],
    why: 'A batch that began exactly 200 s ago, or 540 s for stops, begins another handful of writes. No sentence says for how long a batch begins writes.',
  },
  {
    file: 'lib/steps/turn-around.ts',
    within: 'turnAround',
    operations: ['_ === _ -> true (2 of 3)'],
    why: 'When the step has died after the way back had its plan, and an abort came before the step ran again, the rollout ends at once instead of at its next look. Nothing is rolled back either way, and no sentence says that a rollout looks once more before an abort ends it.',
  },
  {
    file: 'lib/steps/stop-batch.ts',
    within: 'findDue',
    operations: ['_ && _ -> false (2 of 2)', '_ >= _ -> _ > _ (2 of 2)'],
    why: 'A fourth run of a batch calls a stop in doubt that was refused three times. It sends none, and the cleanup is incomplete either way. No rollout of the simulation runs a batch four times.',
  },
];
