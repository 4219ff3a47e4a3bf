import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { Observation } from '../endpoint/observation.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import {
  type AskedRollout,
  activePlan,
  progressOn,
  type RolloutRecord,
} from '../rollout/record.ts';

type Planned = Pick<AskedRollout, 'plan' | 'rollback'>;

/**
 * The same record, in whose plans those endpoints say so whose names have become double since. The plan is frozen, and what
 * people are told goes by the last look.
 *
 * @param observations What was seen of the endpoints of the active plan. @default - what its progress says
 */
export function namedAsSeen<R extends Planned & Pick<AskedRollout, 'progress'>>(
  record: R,
  observations: readonly Observation[] | undefined = seenIn(record),
): R {
  const doubles = new Set(
    activePlan(record)
      ?.endpoints.filter((one, index) => one.sharesName || observations?.[index]?.sharesName)
      .map(({ endpointId }) => endpointId),
  );
  if (doubles.size === 0) return record;
  const named = <E extends Pick<PlannedEndpoint, 'endpointId'>>(one: E): E =>
    doubles.has(one.endpointId) ? { ...one, sharesName: true } : one;
  const renamed = (plan: RolloutPlan): RolloutPlan => ({
    ...plan,
    endpoints: plan.endpoints.map(named),
    leftOut: plan.leftOut.map(named),
  });
  const { plan, rollback } = record;
  return {
    ...record,
    plan: plan && renamed(plan),
    rollback: rollback && { ...rollback, plan: renamed(rollback.plan) },
  };
}

/** The same for a step that has just looked. */
export function lookedAt(
  { record, plan }: { readonly record: RolloutRecord; readonly plan: RolloutPlan },
  observations: readonly Observation[],
) {
  const named = namedAsSeen(record, observations);
  return { record: named, plan: activePlan(named) ?? plan };
}

function seenIn(record: Planned & Pick<AskedRollout, 'progress'>) {
  const active = activePlan(record);
  return active === null ? undefined : progressOn(record, active)?.observations;
}
