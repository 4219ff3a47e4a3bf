import type { EndpointState, Observation, WaveProgress } from '../rollout.ts';

const RANK: Readonly<Record<EndpointState, number>> = {
  pending: 0,
  missing: 0,
  failed: 0,
  superseded: 0,
  reverted: 0,
  requested: 1,
  progressing: 2,
  converged: 3,
};

/** A wave that begins after those before it: the deadline starts to run. */
export function beginWave(
  wave: number,
  now: number,
  observations: readonly Observation[] = [],
): WaveProgress {
  return {
    wave,
    progressedAt: now,
    readAt: now,
    furthest: reachOf(observations),
    observations,
  };
}

/**
 * Adds one complete read to the wave's progress. Getting as far as never before moves the deadline;
 * getting back to where the wave had been already does not. Time in which nobody looked, because the
 * machine slept, its clock jumped or the list could not be read, is no lack of progress: of the time
 * since the last read at most `longestGapMs` counts.
 */
export function advanceProgress(
  before: WaveProgress,
  observations: readonly Observation[],
  now: number,
  longestGapMs: number,
): WaveProgress {
  const unwatchedMs = Math.max(0, now - before.readAt - longestGapMs);
  const reached = reachOf(observations);
  return {
    wave: before.wave,
    progressedAt: reached > before.furthest ? now : before.progressedAt + unwatchedMs,
    readAt: now,
    furthest: Math.max(reached, before.furthest),
    observations,
  };
}

function reachOf(observations: readonly Observation[]): number {
  return observations.reduce((sum, { state }) => sum + RANK[state], 0);
}
