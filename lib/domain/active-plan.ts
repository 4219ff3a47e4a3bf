import type { AskedRollout } from './rollout.ts';
import type { RolloutPlan } from './rollout-plan.ts';

/** The plan that is followed now: the way back once there is one. */
export function activePlan({
  plan,
  rollback,
}: Pick<AskedRollout, 'plan' | 'rollback'>): RolloutPlan | null {
  return rollback?.plan ?? plan;
}
