import { ErrorName } from '../../domain/errors.ts';
import { describeHold, type Hold } from '../../domain/holds/hold.ts';
import { whatQuarantines } from '../../domain/holds/what-holds.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import { type Answer, type Condition, GO, type Ready, refusal } from './condition.ts';

/** The holds are known. One read serves all conditions that ask for them. */
export const holdsRead: Condition<{ readonly request: AskedRequest }> = {
  async ask({ request }, { ledger }) {
    return { decision: 'go', learnt: { holds: (await ledger.hear(request)).holds } };
  },
  foresee: null,
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
