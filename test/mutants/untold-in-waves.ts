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
    on: 'const mayRoll = verdict.mayRoll && !isTold',
    original: 'retryWaitSeconds(record, now) <= 0',
    mutated: 'true',
    why: 'A batch begins that asks the same question before it asks the service for anything, and mostly ends at once. No roll comes before the pause is over, and no promise is about batches that ask the service nothing.',
  },
  {
    file: 'lib/domain/planning/batches.ts',
    on: 'for (let from = 0; from < indexes.length',
    original: 'from < indexes.length',
    mutated: 'from <= indexes.length',
    why: 'When nothing is to be stopped, one batch begins all the same. It reads the record, finds nothing to stop, and asks the service nothing: only a process that dies at a certain call of the ledger dies elsewhere. No promise is about such batches.',
  },
  {
    file: 'lib/domain/wave/polls.ts',
    on: 'at - now > CLOCK_TOLERANCE_MS ? last',
    original: 'at - now > CLOCK_TOLERANCE_MS',
    mutated: 'at - now >= CLOCK_TOLERANCE_MS',
    why: 'Only a time that is a minute ahead to the millisecond is waited for no more. Every look comes later than the answer, so the clock was ahead by more than a minute when it set that time, and the docs promise no wait then.',
  },
  {
    file: 'lib/domain/wave/progress.ts',
    on: "const isNews = state === 'converged' &&",
    original: "before.observations[index]?.state !== 'converged'",
    mutated: 'true',
    why: 'The time since its roll is taken once more of an endpoint that has converged before. It is longer at every look, and only the shortest one counts, so this shows only after a clock went back: then the looks come more often, and how long a roll has taken by such a clock is promised nowhere.',
  },
  {
    file: 'lib/domain/decision/interruption.ts',
    on: 'const isNewer = countAborts(signals) > (done?.aborts ?? 0);',
    original: 'countAborts(signals) > (done?.aborts ?? 0)',
    mutated: 'true',
    why: LOST,
  },
  {
    file: 'lib/domain/decision/interruption.ts',
    on: 'const isNewer = countAborts(signals) > (done?.aborts ?? 0);',
    original: 'countAborts(signals) > (done?.aborts ?? 0)',
    mutated: 'countAborts(signals) >= (done?.aborts ?? 0)',
    why: LOST,
  },
  {
    file: 'lib/domain/decision/interruption.ts',
    on: 'const isDone = asked === done?.onFailure',
    original: 'isNewer && isAnyStopMissing(record)',
    mutated: 'isNewer || isAnyStopMissing(record)',
    why: AGAIN,
  },
  {
    file: 'lib/domain/decision/interruption.ts',
    on: 'return isCalledOff || stops.length <',
    original: 'isCalledOff || stops.length < countOldEndpoints(record)',
    mutated: 'true',
    why: AGAIN,
  },
  {
    file: 'lib/domain/decision/interruption.ts',
    on: 'return isCalledOff || stops.length <',
    original: 'stops.length < countOldEndpoints(record)',
    mutated: 'stops.length <= countOldEndpoints(record)',
    why: AGAIN,
  },
  {
    file: 'lib/domain/ending/conclude.ts',
    on: ".filter(({ last }) => last.result !== 'kept'",
    original: "last.result !== 'kept'",
    mutated: 'false',
    why: 'A stop in doubt that was called off, and that the last abort asks for, is told as not looked at instead of in doubt. The cleanup is incomplete either way, and no sentence tells the two apart.',
  },
  {
    file: 'lib/domain/wave/progress.ts',
    on: 'const again = before.bakedMs !== null',
    original: 'before.bakedMs !== null',
    mutated: 'true',
    why: FOR_PEOPLE,
  },
  {
    file: 'lib/domain/wave/progress.ts',
    on: 'const again = before.bakedMs !== null',
    original: 'before.bakedMs !== null',
    mutated: 'before.bakedMs === null',
    why: FOR_PEOPLE,
  },
  {
    file: 'lib/domain/wave/progress.ts',
    on: 'const again = before.bakedMs !== null',
    original: '{ isCheckedAgain: true as const }',
    why: FOR_PEOPLE,
  },
];
