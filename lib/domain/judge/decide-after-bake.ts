import { findOldEndpoints } from '../contain/find-old-endpoints.ts';
import type { Decision } from '../decision.ts';
import type { Endpoint } from '../endpoint.ts';
import type { RolloutPlan, RolloutRecord, WaveProgress } from '../rollout.ts';
import { describeRegress, describeSuccess, describeSuperseded } from './describe-wave.ts';
import { startWave } from './start-wave.ts';

/**
 * Decides what follows the bake, from a complete read of the list: the wave is trusted only while
 * every endpoint of it is still converged.
 */
export function decideAfterBake(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  endpoints: readonly Endpoint[],
): Decision {
  if (progress.observations.some(({ state }) => state === 'superseded' || state === 'reverted')) {
    return { next: 'close', ending: describeSuperseded(record, plan, progress) };
  }
  if (progress.observations.some(({ state }) => state !== 'converged')) {
    return {
      next: 'contain',
      ending: describeRegress(record, plan, progress),
      oldEndpoints: findOldEndpoints(record, plan, endpoints),
    };
  }
  const next = progress.wave + 1;
  if (next < plan.waves.length) return startWave(plan, next, true);
  return { next: 'close', ending: describeSuccess(record, plan) };
}
