import { SETTLING_READS } from '../defaults.ts';
import { NO_ROLLS, rollHistories, wasSent } from '../judge/roll-history.ts';
import type { Observation, WaveProgress } from '../observation.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { RolloutPlan } from '../rollout-plan.ts';

/** The endpoints that this rollout rolled and that were not converged when last read, by position. */
export function findOldEndpoints(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  { observations, wave }: WaveProgress,
): number[] {
  const { from = 0 } = plan.waves[wave] ?? {};
  const histories = rollHistories(journal, plan.direction);
  return plan.endpoints.flatMap(({ endpointId }, position) => {
    const isRolled = wasSent(histories.get(endpointId) ?? NO_ROLLS);
    return isRolled && !isTrusted(observations[position], position < from) ? [position] : [];
  });
}

/** Converged; in a wave that was verified already, one read against it may be an old answer. */
function isTrusted(observation: Observation | undefined, isVerified: boolean): boolean {
  if (observation === undefined) return false;
  const { state, reads } = observation;
  if (state === 'converged') return true;
  return isVerified && state !== 'superseded' && reads < SETTLING_READS;
}
