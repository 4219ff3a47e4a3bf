import { IN_ENDPOINTS } from './equivalents-in-endpoints.ts';
import { IN_STEPS } from './equivalents-in-steps.ts';
import type { KnownMutant } from './known-mutant.ts';

const A_YES =
  'The answer is a yes in both ways. Only its sentence, for people, says the limit or does not.';
const FLEETS_ARE_SMALL = 'No fleet of the simulation fills a batch, or needs so many of them.';
const SAMPLED =
  'A minute of the simulation that has a value has calls and samples, too, so nothing is divided by 0.';
const OF_GROUPS = 'Only a rollout of a group can tell.';

/** Mutants that behave like the original in every rollout of the simulation. */
export const EQUIVALENTS: readonly KnownMutant[] = [
  {
    file: 'lib/domain/planning/batches.ts',
    within: 'toBatches',
    operations: ['_ < _ -> true', '_ < _ -> _ <= _', '_ - _ -> _ + _', '_.slice(…) -> _'],
    why: FLEETS_ARE_SMALL,
  },
  {
    file: 'lib/domain/planning/batches.ts',
    within: 'toSpans',
    operations: ['_.slice(…) -> _'],
    why: FLEETS_ARE_SMALL,
  },
  {
    file: 'lib/domain/signals/give-way.ts',
    within: 'constants',
    operations: ['_ === _ -> true (2 of 3)'],
    why: 'Only a stop that was kept back has this reason.',
  },
  {
    file: 'lib/domain/planning/abilities.ts',
    within: 'refuseBeyondAbilities',
    operations: ['{ … } -> { } (3 of 4)', '!_ -> false'],
    why: 'The look for the version, which follows at once, refuses it in the same words.',
  },
  {
    file: 'lib/domain/planning/plan-rollout.ts',
    within: 'layOut',
    operations: ['_.filter(…) -> _ (2 of 2)'],
    why: 'Only before a stop is the resting status asked for, and the one service that moves endpoints by itself stops none.',
  },
  {
    file: 'lib/domain/planning/plan-revert.ts',
    within: 'turnBack',
    operations: ['_ < _ -> _ <= _'],
    why: 'Whoever undoes a rollout comes at no whole second, so never a whole minute after a roll.',
  },
  {
    file: 'lib/domain/containment/serving.ts',
    within: 'fold',
    operations: ['_?.(…) -> _?.(…)'],
    why: 'Both sides of every comparison are folded in the same way.',
  },
  {
    file: 'lib/steps/opening/version.ts',
    within: 'settleVersion',
    operations: ['"" -> "…"'],
    why: 'Who asks for no version asks for an endpoint.',
  },
  {
    file: 'lib/steps/opening/asked-request.ts',
    within: 'wantedOf',
    operations: ['{…} -> {} (4 of 4)'],
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/asked-request.ts',
    within: 'whatOf',
    operations: ['_ !== _ -> false (2 of 2)', '{…} -> {} (2 of 5)'],
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/asked-request.ts',
    within: 'whatOf',
    operations: ['_ === _ -> true', '_ === _ -> _ !== _'],
    why: 'Whoever goes on with a rollout finds in the ledger what was asked for.',
  },
  {
    file: 'lib/steps/opening/configured.ts',
    within: 'constants',
    operations: ['_ !== _ -> false'],
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/version.ts',
    within: 'constants',
    operations: ['_ !== _ -> false', '_ && _ -> false', '_ === _ -> true', '_ === _ -> _ !== _'],
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/list.ts',
    within: 'readStableList',
    operations: ['_ !== _ -> false (1 of 2)'],
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/stop-batch.ts',
    within: 'findDue',
    operations: ['_ || _ -> _ && _ (2 of 3)'],
    why: 'The first batch does the work of all, and the next ones find it in the journal. Only a limit of AWS could tell.',
  },
  {
    file: 'lib/gates/metric-rule.ts',
    within: 'judgeMetric',
    operations: [
      '_ && _ -> false (2 of 3)',
      '_ === _ -> true (2 of 4)',
      '_ === _ -> _ !== _ (4 of 6)',
    ],
    why: SAMPLED,
  },
  {
    file: 'lib/gates/limit.ts',
    within: 'judgeValue',
    operations: ['_ === _ -> false (2 of 2)'],
    why: A_YES,
  },
  ...IN_ENDPOINTS,
  ...IN_STEPS,
  {
    file: 'lib/steps/opening/condition.ts',
    within: 'refusal',
    operations: ['{…} -> {} (2 of 2)'],
    why: 'It is for who debugs steproll.',
  },
  {
    file: 'lib/domain/planning/find-version.ts',
    within: 'findVersion',
    operations: ['_ < _ -> _ <= _'],
    why: 'A version that is in the list is not waited for here.',
  },
  {
    file: 'lib/domain/planning/plan-rollout.ts',
    within: 'sortByName',
    operations: ['_ < _ -> _ <= _'],
    why: 'No two endpoints of a list have the same id.',
  },
  {
    file: 'lib/domain/turn/window.ts',
    within: 'isWithin',
    operations: ['_ < _ -> _ <= _ (1 of 4)'],
    why: 'No configuration has a window that closes at the time at which it opens.',
  },
  {
    file: 'lib/domain/turn/window.ts',
    within: 'isWithin',
    operations: ['_ < _ -> _ <= _ (4 of 4)'],
    why: 'A window over midnight is closed at the time at which it ends, whichever day it has opened on.',
  },
  {
    file: 'lib/domain/turn/window.ts',
    within: 'nextTimeWhen',
    operations: ['_ === _ -> false (1 of 2)'],
    why: 'A rollout asks when it opens only where it is not open.',
  },
  {
    file: 'lib/domain/turn/queue.ts',
    within: 'isNewer',
    operations: ['_ > _ -> _ >= _ (2 of 2)'],
    why: 'No request is compared with itself.',
  },
  {
    file: 'lib/domain/containment/serving.ts',
    within: 'restingStatusOf',
    operations: ['_.some(…) -> _.every(…)'],
    why: 'Where all show the same status, all of them show one of the words, or none does.',
  },
  {
    file: 'lib/domain/containment/serving.ts',
    within: 'restingStatusOf',
    operations: ['_.some(…) -> false', '() => … -> () => … (3 of 4)'],
    why: 'A status that counts as serving anyway counts once more.',
  },
  {
    file: 'lib/domain/containment/old-endpoints.ts',
    within: 'countOldEndpoints',
    operations: ['_ !== _ -> false'],
    why: 'Of a way back the outcome says what came of it. Only a sentence has this number then.',
  },
  {
    file: 'lib/domain/containment/failure-policies.ts',
    within: 'constants',
    operations: ['"" -> "…"'],
    why: 'It is a part of a sentence for people.',
  },
  {
    file: 'lib/domain/containment/decide-stop.ts',
    within: 'reasonToKeep',
    operations: ['_.filter(…) -> _ (2 of 3)', '_ - _ -> _ + _', '_ === _ -> false (5 of 5)'],
    why: 'No known service both stops endpoints and moves one by itself.',
  },
  {
    file: 'lib/domain/decision/hand-over.ts',
    within: 'constants',
    operations: ['_ * _ -> _ / _ (2 of 2)', '_ * _ -> _ / _ (1 of 2)'],
    why: 'Every rollout of the simulation has limits of its own.',
  },
  {
    file: 'lib/domain/signals/give-way.ts',
    within: 'constants',
    operations: [
      '_ !== _ -> false (2 of 3)',
      '_ && _ -> false (2 of 4)',
      '_.some(…) -> _.every(…) (2 of 3)',
    ],
    why: 'Only releases of groups have a name of a group.',
  },
];
