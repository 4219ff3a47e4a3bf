import type { EndpointState, Observation, WaveProgress } from '../observation.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { RolloutPlan } from '../rollout-plan.ts';
import { rollHistories } from './roll-history.ts';

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
  { direction }: Pick<RolloutPlan, 'direction'>,
  wave: number,
  now: number,
  before?: WaveProgress,
): WaveProgress {
  const observations = before?.observations ?? [];
  return {
    direction,
    wave,
    progressedAt: now,
    readAt: now,
    unreadableMs: null,
    bakedMs: null,
    doubtMs: null,
    looks: before?.looks ?? 0,
    fastestRollMs: before?.fastestRollMs ?? null,
    furthest: reachOf(observations),
    observations,
  };
}

/** One complete read of the list, as far as it concerns the wave. */
export interface WaveRead {
  readonly observations: readonly Observation[];
  readonly now: number;
  /** Milliseconds between two reads that count as watched. */
  readonly longestGapMs: number;
}

/**
 * Adds one complete read to the wave's progress. Getting as far as never before moves the deadline;
 * getting back to where the wave had been already does not. Time in which nobody looked, because the
 * machine slept, its clock jumped or the list could not be read, is no lack of progress: of the time
 * since the last read at most `longestGapMs` counts, and none of it when the clock went back.
 */
export function advanceProgress(
  record: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  before: WaveProgress,
  { observations, now, longestGapMs }: WaveRead,
): WaveProgress {
  const passedMs = now - before.readAt;
  const unwatchedMs = passedMs - Math.min(Math.max(0, passedMs), longestGapMs);
  const reached = reachOf(observations);
  const shift = (since: number) => since + unwatchedMs;
  return {
    ...before,
    progressedAt: reached > before.furthest ? now : shift(before.progressedAt),
    readAt: now,
    unreadableMs: null,
    looks: before.looks + 1,
    fastestRollMs: fastestRollOf(record, plan, before, observations, now),
    furthest: Math.max(reached, before.furthest),
    observations,
  };
}

function reachOf(observations: readonly Observation[]): number {
  return observations.reduce((sum, { state }) => sum + RANK[state], 0);
}

/** From the endpoints that this read shows converged for the first time. */
function fastestRollOf(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  before: WaveProgress,
  observations: readonly Observation[],
  now: number,
): number | null {
  const histories = rollHistories(journal, plan.direction);
  const times = observations.flatMap(({ state, reads }, position) => {
    const rolledAt = histories.get(plan.endpoints[position]?.endpointId ?? '')?.last?.at;
    return state === 'converged' && reads === 1 && rolledAt !== undefined ? [now - rolledAt] : [];
  });
  const fastest = Math.min(before.fastestRollMs ?? Number.POSITIVE_INFINITY, ...times);
  return Number.isFinite(fastest) ? fastest : null;
}
