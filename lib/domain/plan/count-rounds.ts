import type { RolloutPlan } from '../rollout-plan.ts';

/** Rolls that follow one another: a wave takes several where not all of it may be in mid-roll at once. */
export function countRounds({ waves, maxUnavailable }: RolloutPlan): number {
  return waves.reduce((sum, { from, to }) => sum + Math.ceil((to - from) / maxUnavailable), 0);
}
