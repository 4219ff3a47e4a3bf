import { SETTLING_READS, VANISHING_READS } from '../defaults.ts';
import type { Observation } from '../rollout.ts';

/** Where a wave stands after a complete read of the list. `failed` and `superseded` end the rollout. */
export type WaveVerdict =
  | { readonly verdict: 'converged' }
  | { readonly verdict: 'progressing'; readonly mayRoll: boolean }
  | { readonly verdict: 'failed'; readonly reason: WaveFailure }
  | { readonly verdict: 'superseded' };

export type WaveFailure = 'EndpointFailed' | 'EndpointVanished' | 'Stalled';

export interface WaveEvidence {
  /** One for each endpoint of the wave and of those before it. */
  readonly observations: readonly Observation[];
  /** Milliseconds without progress. */
  readonly sinceProgressMs: number;
  readonly progressDeadlineMs: number;
}

/**
 * Judges a wave. Success that is proven wins over a deadline that passes in the same moment. Once an
 * endpoint is lost nothing new is rolled, and the wave is judged when those in mid-roll have settled:
 * a healthy endpoint is not stopped only because it was slower than a broken one was to fail.
 */
export function judgeWave(evidence: WaveEvidence): WaveVerdict {
  const { observations, sinceProgressMs, progressDeadlineMs } = evidence;
  if (observations.every(hasConverged)) return { verdict: 'converged' };
  const isLost = observations.some(isLostForGood);
  const isSettling = observations.some(isInMidRoll);
  if (isLost && !isSettling) return lossOf(observations);
  if (sinceProgressMs < progressDeadlineMs) return { verdict: 'progressing', mayRoll: !isLost };
  return isLost ? lossOf(observations) : { verdict: 'failed', reason: 'Stalled' };
}

function lossOf(observations: readonly Observation[]): WaveVerdict {
  if (observations.some(hasFailed)) return { verdict: 'failed', reason: 'EndpointFailed' };
  if (observations.some(hasVanished)) return { verdict: 'failed', reason: 'EndpointVanished' };
  if (observations.some(isInMidRoll)) return { verdict: 'failed', reason: 'Stalled' };
  return { verdict: 'superseded' };
}

export function hasConverged({ state, reads }: Observation): boolean {
  return state === 'converged' && reads >= SETTLING_READS;
}

export function hasFailed({ state, reads }: Observation): boolean {
  return state === 'failed' && reads >= SETTLING_READS;
}

export function hasVanished({ state, reads }: Observation): boolean {
  return state === 'missing' && reads >= VANISHING_READS;
}

function isLostForGood(observation: Observation): boolean {
  return hasFailed(observation) || hasVanished(observation) || observation.state === 'superseded';
}

/** Touched and not settled yet: it counts against the number that may be unavailable. */
export function isInMidRoll(observation: Observation): boolean {
  return (
    observation.state !== 'pending' && !hasConverged(observation) && !isLostForGood(observation)
  );
}
