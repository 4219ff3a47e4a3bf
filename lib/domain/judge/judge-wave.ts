import type { Observation } from '../observation.ts';
import {
  hasConverged,
  hasFailed,
  hasVanished,
  isInMidRoll,
  isLostForGood,
} from './endpoint-verdict.ts';

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
  /** Positions of lost endpoints that keep nobody from going on. */
  readonly tolerated: ReadonlySet<number>;
  /** Milliseconds without progress. */
  readonly sinceProgressMs: number;
  readonly progressDeadlineMs: number;
}

/**
 * Judges a wave. Success that is proven wins over a deadline that passes in the same moment. Once more
 * endpoints are lost than are tolerated nothing new is rolled, and the wave is judged when those in
 * mid-roll have settled: a healthy endpoint is not stopped only because it was slower than a broken one
 * was to fail.
 */
export function judgeWave(evidence: WaveEvidence): WaveVerdict {
  const { tolerated, sinceProgressMs, progressDeadlineMs } = evidence;
  const observations = evidence.observations.filter((_, position) => !tolerated.has(position));
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
