import { legOf } from '../endpoint/leg.ts';
import { isLetGo, isLostForGood, isTakenAway, type Observation } from '../endpoint/observation.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy, Tolerance } from '../rollout/policy.ts';

/**
 * The indexes of lost endpoints that do not stop the rollout. On the way forward: in each wave as many failed or
 * vanished endpoints as the failure threshold allows, but never a whole wave, and none that somebody else moved,
 * because whoever moves endpoints during a rollout wants something else. What is let go of because of a pin is no loss, and
 * no part of its wave. In a rollback: endpoints that were not live
 * when it began, and endpoints that somebody else has moved or stopped.
 */
export function findToleratedLosses(
  plan: RolloutPlan,
  observations: readonly Observation[],
  { failureThreshold }: Pick<RolloutPolicy, 'failureThreshold'>,
): ReadonlySet<number> {
  const { tolerates } = legOf(plan);
  if (tolerates === 'lost-before') return new Set(lostToOthers(plan, observations));
  if (plan.maxAtRisk !== undefined) {
    return new Set(lostRuntimes(plan, observations, failureThreshold));
  }
  return new Set(
    plan.waves.flatMap(({ from, to }) => {
      const letGo = indexesOf(observations, from, to, isLetGo);
      const lost = indexesOf(observations, from, to, isFailedOrGone);
      const size = to - from - letGo.length;
      const isTolerated = lost.length <= allowanceOf(failureThreshold, size) && lost.length < size;
      return [...letGo, ...(isTolerated ? lost : [])];
    }),
  );
}

/**
 * With a limit of what may be at risk, as many as the threshold allows count in all waves together, because whatever is
 * lost stays at risk. These are runtimes, and one that another rollout has is lost like any other: it says nothing about
 * the version.
 */
function lostRuntimes(
  { endpoints, waves }: RolloutPlan,
  observations: readonly Observation[],
  failureThreshold: Tolerance,
): readonly number[] {
  const size = endpoints.length;
  const lostInAll = indexesOf(observations, 0, size, isLostForGood);
  if (lostInAll.length > allowanceOf(failureThreshold, size)) return [];
  return waves.flatMap(({ from, to }) => {
    const lost = indexesOf(observations, from, to, isLostForGood);
    return lost.length < to - from ? lost : [];
  });
}

function lostToOthers({ endpoints }: RolloutPlan, observations: readonly Observation[]): number[] {
  return observations.flatMap((observation, index) => {
    const wasLive = endpoints[index]?.leftAs === undefined;
    return (!wasLive && isFailedOrGone(observation)) || observation.state === 'superseded'
      ? [index]
      : [];
  });
}

function isFailedOrGone(observation: Observation): boolean {
  return isLostForGood(observation) && !isTakenAway(observation) && !isLetGo(observation);
}

function indexesOf(
  observations: readonly Observation[],
  from: number,
  to: number,
  isLost: (observation: Observation) => boolean,
): number[] {
  return observations
    .slice(from, to)
    .flatMap((observation, index) => (isLost(observation) ? [from + index] : []));
}

/** A tolerance as a number of endpoints, when there are `size` of them. */
export function allowanceOf(tolerance: Tolerance, size: number): number {
  return 'endpoints' in tolerance
    ? tolerance.endpoints
    : Math.floor((tolerance.percent * size) / 100 + 1e-9);
}
