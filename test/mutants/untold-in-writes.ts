import type { KnownMutant } from './known-mutant.ts';

/** Those of the steps that open, write, turn around and close. */
export const UNTOLD_IN_WRITES: readonly KnownMutant[] = [
  {
    file: 'lib/steps/roll-batch.ts',
    within: 'rollBatch',
    operations: ['_ >= _ -> false (1 of 2)'],
    why: 'A batch goes on with its rolls after 200 s instead of leaving them to the next look. No sentence says for how long a batch begins rolls: the limit keeps AWS from ending the function in the midst of a roll, and the simulation ends no function because of its time.',
  },
  {
    file: 'lib/steps/roll-batch.ts',
    within: 'rollBatch',
    operations: ['_ >= _ -> _ > _ (1 of 2)'],
    why: 'A batch that began exactly 200 s ago begins another handful of rolls. No sentence says for how long a batch begins rolls.',
  },
  {
    file: 'lib/steps/roll-batch.ts',
    within: 'rollBatch',
    operations: ['_ >= _ -> _ > _ (2 of 2)'],
    why: 'A roll is decided on a list that is exactly 15 s old. The docs rule out a list that is older than 15 s, so both ways keep that promise.',
  },
  {
    file: 'lib/steps/turn-around.ts',
    within: 'turnAround',
    operations: ['_ === _ -> true (2 of 4)'],
    why: 'When the step has died after the way back had its plan, and an abort came before the step ran again, the rollout ends at once instead of at its next look. Nothing is rolled back either way, and no sentence says that a rollout looks once more before an abort ends it.',
  },
  {
    file: 'lib/steps/stop-batch.ts',
    within: 'stopBatch',
    operations: ['_ === _ -> false (2 of 2)'],
    why: 'When a process has stood still before a stop, the intention is written down once more. If the service then refuses the stop, the outcome calls it in doubt instead of refused. The cleanup is incomplete either way, and no sentence tells the two apart.',
  },
  {
    file: 'lib/steps/stop-batch.ts',
    within: 'findDue',
    operations: ['_ && _ -> false (2 of 2)', '_ >= _ -> _ > _ (2 of 2)'],
    why: 'A fourth run of a batch calls a stop in doubt that was refused three times. It sends none, and the cleanup is incomplete either way. No rollout of the simulation runs a batch four times.',
  },
];
