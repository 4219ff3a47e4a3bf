import type { KnownMutant } from './known-mutant.ts';

/** What behaves like the original where rolls and reads of endpoints are judged. */
export const IN_ENDPOINTS: readonly KnownMutant[] = [
  {
    file: 'lib/domain/endpoint/rolls.ts',
    within: 'wasSent',
    operations: [
      '_ === _ -> false (1 of 3)',
      '_ === _ -> false (2 of 3)',
      '_ === _ -> false (3 of 3)',
    ],
    why: 'Every write is written down as intended before it is made, and that one counts already.',
  },
  {
    file: 'lib/domain/endpoint/rolls.ts',
    within: 'mayRollAgain',
    operations: ['"" -> "…"'],
    why: 'Neither is the name of an error.',
  },
  {
    file: 'lib/domain/endpoint/rolls.ts',
    within: 'findLockout',
    operations: ['"" -> "…"'],
    why: 'Neither is the name of an error.',
  },
  {
    file: 'lib/domain/endpoint/rolls.ts',
    within: 'isAnyTaken',
    operations: ['_ === _ -> true (2 of 2)'],
    why: 'It is asked on the way forward, and no roll comes after a stop.',
  },
  {
    file: 'lib/domain/endpoint/observe-endpoint.ts',
    within: 'observeEndpoint',
    operations: ['_.max(…) -> _.min(…)'],
    why: 'Only the runtimes of a group have it, and npm run group-releases simulates those.',
  },
  {
    file: 'lib/domain/endpoint/observe-endpoint.ts',
    within: 'stateOfFailed',
    operations: ['_ !== _ -> true (1 of 2)'],
    why: 'Only the runtimes of a group have it, and npm run group-releases simulates those.',
  },
  {
    file: 'lib/domain/decision/after-check.ts',
    within: 'decideAfterCheck',
    operations: ['_ === _ -> false (2 of 2)'],
    why: 'No batches roll nothing, the same wait follows, and of a wave that has begun nobody is told again.',
  },
  {
    file: 'lib/domain/endpoint/endpoint.ts',
    within: 'isBusy',
    operations: ['_ === _ -> false', 'true -> false'],
    why: 'Only the runtimes of a group have it, and npm run group-releases simulates those.',
  },
  {
    file: 'lib/domain/endpoint/observe-endpoint.ts',
    within: 'observeEndpoint',
    operations: ['_ !== _ -> true (1 of 3)'],
    why: 'It is only asked of what is not converged any more.',
  },
  {
    file: 'lib/domain/endpoint/observe-endpoint.ts',
    within: 'observeEndpoint',
    operations: ['{…} -> {} (6 of 9)'],
    why: 'Only sentences tell of it.',
  },
  {
    file: 'lib/domain/endpoint/attempts.ts',
    within: 'addLine',
    operations: ['_ === _ -> true', '_ > _ -> true (2 of 2)', '_ > _ -> _ >= _ (2 of 2)'],
    why: 'A try keeps its number only while one of its rolls is in doubt, and the next one has the next number.',
  },
  {
    file: 'lib/domain/endpoint/attempts.ts',
    within: 'takenBack',
    operations: ['_ - _ -> _ + _ (1 of 2)'],
    why: 'A no follows its own intention, so with a roll in doubt before that the number stays above 0, and only that counts.',
  },
  {
    file: 'lib/domain/endpoint/rolls.ts',
    within: 'nextTry',
    operations: ['_ > _ -> true (1 of 2)', '_ > _ -> _ >= _ (1 of 2)'],
    why: 'Where rolls are repeated, each of them has the number of its try, so none is in doubt before the first one.',
  },
];
