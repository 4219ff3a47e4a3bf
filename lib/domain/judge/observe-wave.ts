import type { Endpoint } from '../endpoint.ts';
import type { Observation, WaveProgress } from '../observation.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { RolloutPlan } from '../rollout-plan.ts';
import { observeEndpoint } from './observe-endpoint.ts';
import { NO_ROLLS, rollHistories } from './roll-history.ts';
import { rememberFurthest } from './wave-progress.ts';

/** One observation for each endpoint up to the end of the current wave, from one complete read. */
export function observeWave(
  record: RolloutRecord,
  plan: RolloutPlan,
  before: WaveProgress,
  endpoints: readonly Endpoint[],
  now: number,
): Observation[] {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const histories = rollHistories(record.journal, plan.direction);
  const { to = 0 } = plan.waves[before.wave] ?? {};
  return plan.endpoints.slice(0, to).map((planned, position) => {
    const earlier = before.observations[position];
    const observed = observeEndpoint(
      {
        direction: plan.direction,
        planned,
        endpoint: byId.get(planned.endpointId),
        history: histories.get(planned.endpointId) ?? NO_ROLLS,
        before: earlier,
        now,
      },
      record.request.policy.statuses,
    );
    return rememberFurthest(observed, earlier);
  });
}
