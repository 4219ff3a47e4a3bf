import type { WriteOperation } from '../endpoint/journal.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { FailurePolicy } from '../rollout/policy.ts';
import { countOf } from '../sentences.ts';

/** What a failure policy does with the endpoints that were rolled, and the words for it. */
export interface Containment {
  /** The only kind of write that the policy sends; `null` when it sends none. */
  readonly write: Exclude<WriteOperation, 'roll'> | null;
  /** The phase of the rollout that reports show meanwhile. */
  readonly phase: 'stopping' | 'turning-around' | 'holding';
  /** The part of the failure event that says what follows. */
  readonly announce: (oldEndpoints: number, isAnyRolled: boolean) => string;
  /** What happens to the endpoints. Plans say it, and the question before an abort. */
  readonly consequence: string;
  /** What is no longer sent once the ledger has an abort that asks for this policy. */
  readonly halt: string;
  /** What an abort asked for besides ending. The story of a rollout says it. */
  readonly request: string;
}

export const CONTAINMENTS: Readonly<Record<FailurePolicy, Containment>> = {
  hold: {
    write: null,
    phase: 'holding',
    announce: () => 'Everything stays as it is.',
    consequence: 'every endpoint stays as it is',
    halt: 'Nothing more is rolled, rolled back or stopped but what is on its way already',
    request: '',
  },
  'roll-back': {
    write: 'roll-back',
    phase: 'turning-around',
    announce: (_, isAnyRolled) =>
      isAnyRolled ? 'What was rolled goes back now.' : 'Nothing was rolled, so nothing goes back.',
    consequence: 'what was rolled goes back to the versions before',
    halt: 'Nothing more is rolled or stopped but what is on its way already',
    request: ' and roll back',
  },
  'stop-old': {
    write: 'stop',
    phase: 'stopping',
    // A stop may still be kept back, and then nothing is stopped.
    announce: (oldEndpoints) =>
      oldEndpoints === 0
        ? 'There is nothing to stop.'
        : `${countOf(oldEndpoints, 'endpoint')} ${oldEndpoints === 1 ? 'is' : 'are'} stopped now, where that is safe.`,
    consequence: 'what was rolled and is not live on the version is stopped, where that is safe',
    halt: 'Nothing more is rolled or rolled back but what is on its way already',
    request: ' and stop the old endpoints',
  },
};

/** `stop-old` of a service that cannot stop endpoints: somebody asked for it who did not know the service. */
const WITHOUT_STOPS: Containment = {
  ...CONTAINMENTS['stop-old'],
  phase: 'holding',
  announce: (oldEndpoints, isAnyRolled) =>
    oldEndpoints === 0
      ? CONTAINMENTS['stop-old'].announce(0, isAnyRolled)
      : 'Everything stays as it is, because its service cannot stop any endpoint.',
  consequence: 'every endpoint stays as it is, because its service cannot stop any',
};

/** What a failure policy does in a rollout with this plan. @param plan `null`: there is none yet. */
export function containmentOf(
  policy: FailurePolicy,
  plan: Pick<RolloutPlan, 'cannotStop'> | null,
): Containment {
  return policy === 'stop-old' && plan?.cannotStop ? WITHOUT_STOPS : CONTAINMENTS[policy];
}
