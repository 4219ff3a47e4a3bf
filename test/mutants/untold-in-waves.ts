import type { KnownMutant } from './known-mutant.ts';

const AGAIN =
  'After another abort, stops that were refused or are in doubt are tried once more. The docs say that stops go on and that those that were called off are made, and not whether one without an answer is tried again.';
const LOST =
  'It shows only when a stop that the last abort asks for cannot be noted. A scenario test has such a ledger, and no random rollout has.';

const FOR_PEOPLE =
  'It says only what a person is told about a rollout under way: whether its wave bakes, or has to converge once more. The judges look at what a rollout does, and at what it tells.';

/** Those of waves, of plans and of turns. */
export const UNTOLD_IN_WAVES: readonly KnownMutant[] = [
  {
    file: 'lib/domain/decision/after-check.ts',
    within: 'decideAfterCheck',
    operations: ['_ <= _ -> true'],
    why: 'A batch begins that asks the same question before it asks the service for anything, and mostly ends at once. No roll comes before the pause is over, and no promise is about batches that ask the service nothing.',
  },
  {
    file: 'lib/domain/planning/batches.ts',
    within: 'toSpans',
    operations: ['_ < _ -> _ <= _'],
    why: 'When nothing is to be stopped, one batch begins all the same. It reads the record, finds nothing to stop, and asks the service nothing: only a process that dies at a certain call of the ledger dies elsewhere. No promise is about such batches.',
  },
  {
    file: 'lib/domain/wave/progress.ts',
    within: 'fastestRollOf',
    operations: ['_ !== _ -> true (1 of 2)'],
    why: 'The time since its roll is taken once more of an endpoint that has converged before. It is longer at every look, and only the shortest one counts.',
  },
  {
    file: 'lib/domain/decision/interruption.ts',
    within: 'decideLateAbort',
    operations: ['_ > _ -> true', '_ > _ -> _ >= _'],
    why: LOST,
  },
  {
    file: 'lib/domain/decision/interruption.ts',
    within: 'decideLateAbort',
    operations: ['_ && _ -> _ || _ (2 of 2)'],
    why: AGAIN,
  },
  {
    file: 'lib/domain/decision/interruption.ts',
    within: 'isAnyStopMissing',
    operations: ['_ || _ -> true', '_ < _ -> _ <= _'],
    why: AGAIN,
  },
  {
    file: 'lib/domain/ending/conclude.ts',
    within: 'reportStops',
    operations: ['_ !== _ -> false'],
    why: 'A stop in doubt that was called off, and that the last abort asks for, is told as not looked at instead of in doubt. The cleanup is incomplete either way, and no sentence tells the two apart.',
  },
  {
    file: 'lib/domain/wave/progress.ts',
    within: 'resumeProgress',
    operations: ['_ !== _ -> true', '_ !== _ -> _ === _', '{…} -> {} (1 of 2)'],
    why: FOR_PEOPLE,
  },
];
