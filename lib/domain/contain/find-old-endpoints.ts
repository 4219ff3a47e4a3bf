import { NO_ROLLS, rollHistories, wasSent } from '../judge/roll-history.ts';
import type { RolloutPlan, RolloutRecord, WaveProgress } from '../rollout.ts';

/** The endpoints that this rollout rolled and that were not converged when last read, by position. */
export function findOldEndpoints(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  { observations }: WaveProgress,
): number[] {
  const histories = rollHistories(journal);
  return plan.endpoints.flatMap(({ endpointId }, position) => {
    const isRolled = wasSent(histories.get(endpointId) ?? NO_ROLLS);
    return isRolled && observations[position]?.state !== 'converged' ? [position] : [];
  });
}
