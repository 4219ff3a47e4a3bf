import { isTakenAway, type Observation } from '../endpoint/observation.ts';
import { rollsOfPlan, wasSent } from '../endpoint/rolls.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';

/** The endpoints that this rollout rolled and that were not converged in the last read, by index. */
export function findOldEndpoints(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  { observations, wave }: WaveProgress,
): number[] {
  const { from = 0 } = plan.waves[wave] ?? {};
  return rollsOfPlan(journal, plan).flatMap((history, index) =>
    wasSent(history) && !isTrusted(observations[index], index < from) ? [index] : [],
  );
}

/** It is converged. Once its wave had converged, one read may contradict that: it may be an old answer. */
function isTrusted(observation: Observation | undefined, hadConverged: boolean): boolean {
  if (observation === undefined) return false;
  if (observation.state === 'converged') return true;
  return hadConverged && !isTakenAway(observation) && observation.wasConverged === true;
}

export function countOldEndpoints(
  record: Pick<RolloutRecord, 'journal' | 'plan' | 'progress' | 'rollback'>,
): number {
  const { plan, progress, rollback } = record;
  if (plan === null || progress === null || rollback !== null) return 0;
  return findOldEndpoints(record, plan, progress).length;
}
