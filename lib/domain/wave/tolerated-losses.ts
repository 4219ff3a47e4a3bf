import { hasFailed, hasVanished, type Observation } from '../endpoint/observation.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy, Tolerance } from '../rollout/policy.ts';

/**
 * The indexes of lost endpoints that do not stop the rollout. On the way forward: in each wave as many failed or
 * vanished endpoints as the failure threshold allows, but never a whole wave, and none that somebody else moved,
 * because whoever moves endpoints during a rollout wants something else. In a rollback: endpoints that were not live
 * when it began, and endpoints that somebody else has moved or stopped.
 */
export function findToleratedLosses(
  plan: RolloutPlan,
  observations: readonly Observation[],
  { failureThreshold }: Pick<RolloutPolicy, 'failureThreshold'>,
): ReadonlySet<number> {
  if (plan.direction === 'back') return new Set(lostToOthers(plan, observations));
  return new Set(
    plan.waves.flatMap(({ from, to }) => {
      const lost = indexesOf(observations, from, to).filter((index) =>
        isFailedOrGone(observations[index]),
      );
      const isTolerated = lost.length <= allowanceOf(failureThreshold, to - from);
      return isTolerated && lost.length < to - from ? lost : [];
    }),
  );
}

function lostToOthers({ endpoints }: RolloutPlan, observations: readonly Observation[]): number[] {
  return observations.flatMap((observation, index) => {
    const { isBroken, isUnsettled } = endpoints[index] ?? {};
    const wasLive = isBroken !== true && isUnsettled !== true;
    return (!wasLive && isFailedOrGone(observation)) || observation.state === 'superseded'
      ? [index]
      : [];
  });
}

function isFailedOrGone(observation: Observation | undefined): boolean {
  return observation !== undefined && (hasFailed(observation) || hasVanished(observation));
}

function indexesOf(observations: readonly Observation[], from: number, to: number): number[] {
  const length = Math.max(0, Math.min(to, observations.length) - from);
  return Array.from({ length }, (_, index) => from + index);
}

function allowanceOf(tolerance: Tolerance, waveSize: number): number {
  return 'endpoints' in tolerance
    ? tolerance.endpoints
    : Math.floor((tolerance.percent * waveSize) / 100 + 1e-9);
}
