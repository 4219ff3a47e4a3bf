import {
  hasFailed,
  hasVanished,
  isLostForGood,
  type Observation,
} from '../endpoint/observation.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy, Tolerance } from '../rollout/policy.ts';

/**
 * The indexes of lost endpoints that do not stop the rollout. On the way forward: in each wave as many failed or
 * vanished endpoints as the failure threshold allows, but never a whole wave, and none that somebody else moved,
 * because whoever moves endpoints during a rollout wants something else. With a limit of what may be at risk, as many
 * as the threshold allows count in all waves together, because whatever is lost stays at risk. These are runtimes, and
 * one that another rollout has is lost like any other: it says nothing about the version. In a rollback: endpoints
 * that were not live when it began, and endpoints that somebody else has moved or stopped.
 */
export function findToleratedLosses(
  plan: RolloutPlan,
  observations: readonly Observation[],
  { failureThreshold }: Pick<RolloutPolicy, 'failureThreshold'>,
): ReadonlySet<number> {
  if (plan.direction === 'back') return new Set(lostToOthers(plan, observations));
  const size = plan.endpoints.length;
  const isLost = plan.maxAtRisk === undefined ? isFailedOrGone : isLostOrTaken;
  const lostInAll = observations.filter(isLost).length;
  if (plan.maxAtRisk !== undefined && lostInAll > allowanceOf(failureThreshold, size)) {
    return new Set();
  }
  return new Set(
    plan.waves.flatMap(({ from, to }) => {
      const lost = indexesOf(observations, from, to).filter((index) => isLost(observations[index]));
      const counted = plan.maxAtRisk === undefined ? to - from : size;
      const isTolerated = lost.length <= allowanceOf(failureThreshold, counted);
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

function isLostOrTaken(observation: Observation | undefined): boolean {
  return observation !== undefined && isLostForGood(observation);
}

function indexesOf(observations: readonly Observation[], from: number, to: number): number[] {
  const length = Math.max(0, Math.min(to, observations.length) - from);
  return Array.from({ length }, (_, index) => from + index);
}

/** A tolerance as a number of endpoints, when there are `size` of them. */
export function allowanceOf(tolerance: Tolerance, size: number): number {
  return 'endpoints' in tolerance
    ? tolerance.endpoints
    : Math.floor((tolerance.percent * size) / 100 + 1e-9);
}
