import type { Endpoint } from '../endpoint.ts';
import { NO_ROLLS, rollHistories, wasSent } from '../judge/roll-history.ts';
import type { RolloutPlan, RolloutRecord } from '../rollout.ts';

/** The endpoints that this rollout rolled and that are not live on the desired version, by position. */
export function findOldEndpoints(
  { request, journal }: RolloutRecord,
  plan: RolloutPlan,
  endpoints: readonly Endpoint[],
): number[] {
  const histories = rollHistories(journal);
  const live = new Map(endpoints.map(({ id, liveVersion }) => [id, liveVersion]));
  return plan.endpoints.flatMap(({ endpointId }, position) => {
    const isRolled = wasSent(histories.get(endpointId) ?? NO_ROLLS);
    return isRolled && live.get(endpointId) !== request.desiredVersion ? [position] : [];
  });
}
