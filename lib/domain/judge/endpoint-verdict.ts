import { SETTLING_READS, VANISHING_READS } from '../defaults.ts';
import type { Observation } from '../observation.ts';

/** What consecutive reads prove of one endpoint. One read proves nothing: it may be an old answer. */

export function hasConverged({ state, reads }: Observation): boolean {
  return state === 'converged' && reads >= SETTLING_READS;
}

export function hasFailed({ state, reads }: Observation): boolean {
  return state === 'failed' && reads >= SETTLING_READS;
}

export function hasVanished({ state, reads }: Observation): boolean {
  return state === 'missing' && reads >= VANISHING_READS;
}

export function isLostForGood(observation: Observation): boolean {
  return hasFailed(observation) || hasVanished(observation) || observation.state === 'superseded';
}

/** Rolled, and its target has never shown it. */
export function isUnregistered({ state, hadTarget }: Observation): boolean {
  return state === 'requested' && hadTarget !== true;
}

/** Touched and not settled yet: it counts against the number that may be unavailable. */
export function isInMidRoll(observation: Observation): boolean {
  return (
    observation.state !== 'pending' && !hasConverged(observation) && !isLostForGood(observation)
  );
}
