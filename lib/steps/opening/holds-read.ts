import { ErrorName } from '../../domain/errors.ts';
import { describeHold, type Hold } from '../../domain/holds/hold.ts';
import { type Holdable, whatFreezes, whatQuarantines } from '../../domain/holds/what-holds.ts';
import type { Lease } from '../../domain/rollout/lease.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { OutsideWindow } from '../../domain/rollout/policy.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import { LONGEST_LOOK_SECONDS } from '../../domain/wave/polls.ts';
import { type Answer, type Condition, GO, type Ready, refusal } from './condition.ts';
import { toLatestRequest } from './newest.ts';

/** The holds are known. One read serves all conditions that ask for them. */
export const holdsRead: Condition<{ readonly request: AskedRequest }> = {
  async ask({ request }, { ledger }) {
    return { decision: 'go', learnt: { holds: (await ledger.hear(request)).holds } };
  },
};

export interface WithHolds {
  readonly holds: readonly Hold[];
}

/**
 * Its version is not in quarantine, or a person wants it again. With its plan, every version of that is asked for: a revert
 * may have several. Nobody waits for the end of a quarantine.
 */
export const notQuarantined: Condition<Ready & WithHolds & { readonly plan?: RolloutPlan }> = {
  async ask({ request, holds, plan }, { clock }) {
    const planned = plan?.endpoints.map(({ desiredVersion }) => desiredVersion);
    return lookAtQuarantine(request, planned ?? [request.desiredVersion], holds, clock.now());
  },
  async foresee({ request }, { ledger, clock }) {
    const { holds } = await ledger.hear({ rolloutId: '', runtimeId: request.runtimeId });
    return lookAtQuarantine(request, [request.desiredVersion], holds, clock.now());
  },
};

type LookedAt = Pick<AskedRequest, 'runtimeId' | 'again' | 'parent' | 'revert'>;

function lookAtQuarantine(
  { runtimeId, again, parent, revert }: LookedAt,
  versions: readonly number[],
  holds: readonly Hold[],
  now: number,
): Answer {
  // The way back of a group is never held.
  const isWayBack = parent !== undefined && revert !== undefined;
  const [quarantine] = again || isWayBack ? [] : whatQuarantines(runtimeId, versions, holds, now);
  return quarantine === undefined ? GO : refusal(ErrorName.Quarantined, describeHold(quarantine));
}

/**
 * No freeze of a person is on it. It is asked once more with the lease, because a freeze may have come meanwhile. The rollout
 * of a group's runtime always waits, so that the group does not lose the runtime.
 */
export const unheld: Condition<Ready & WithHolds & { readonly lease?: Lease }> = {
  async ask({ request, lease, holds }, { ledger, clock }) {
    const now = clock.now();
    const { parent, policy } = request;
    const answer = lookAtHolds(request, holds, parent ? 'wait' : policy.outsideWindow, now);
    if (answer.decision !== 'wait' || lease !== undefined) return answer;
    const latest = toLatestRequest(request, now + answer.seconds * 1000);
    return { ...answer, effect: () => ledger.recordLatestRequest(latest, now) };
  },
  async foresee({ request }, { ledger, clock }) {
    const { runtimeId, policy } = request;
    const { holds } = await ledger.hear({ rolloutId: '', runtimeId });
    return lookAtHolds(request, holds, policy.outsideWindow, clock.now());
  },
};

function lookAtHolds(
  rollout: Holdable,
  holds: readonly Hold[],
  outsideWindow: OutsideWindow,
  now: number,
): Answer {
  const frozen = whatFreezes(rollout, holds, now);
  if (frozen.length === 0) return GO;
  const message = frozen.map(describeHold).join(' ');
  if (outsideWindow === 'refuse') return refusal(ErrorName.Held, `${message} It may not wait.`);
  const until = Math.max(...frozen.map((hold) => hold.until));
  const seconds = Math.ceil(Math.min(LONGEST_LOOK_SECONDS, (until - now) / 1000));
  return { decision: 'wait', for: 'hold', message, seconds, until };
}
