import { NO_ATTEMPTS } from '../endpoint/attempts.ts';
import {
  isUnproven,
  isUnregistered,
  type Observation,
  REGISTERING_READS,
} from '../endpoint/observation.ts';
import { isOverdue, isUnsure, rollsOfPlan } from '../endpoint/rolls.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { reachOf } from './observations.ts';
import { setBackBy, watchedSince, withoutUnwatched } from './watched.ts';

/** Begins a wave after the earlier ones. Its deadline starts to run. */
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
    ...(before && setBackBy(before, now, 0)),
    observations,
  };
}

/** One complete read of the list, as far as it concerns the wave. */
interface WaveRead {
  readonly observations: readonly Observation[];
  readonly now: number;
  /** Milliseconds since the last look, if every wait was as long as planned: the wait and the time of this read. */
  readonly meantMs: number;
}

/**
 * Adds one complete read to the wave's progress. Only when the wave gets further than ever before does the deadline
 * move; getting back to an earlier point does not move it. It begins anew, too, as long as a roll that may never have been
 * sent cannot be repeated, which is for a minute. After that it stands still while reads agree with the ones before, and
 * are too few to repeat that roll, or show an endpoint live that may be an old answer. Time in which nobody looked,
 * because no process ran, its clock jumped or the list could not be read, is not time without progress: only the watched
 * time since the last read counts.
 */
export function advanceProgress(
  record: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  before: WaveProgress,
  { observations, now, meantMs }: WaveRead,
): WaveProgress {
  const reached = reachOf(observations);
  const hasProgressed = reached > before.furthest;
  const histories = rollsOfPlan(record.journal, plan);
  const inDoubt = observations.map(
    (one, index) => isUnregistered(one) && isUnsure(histories[index] ?? NO_ATTEMPTS),
  );
  const isTooEarly = inDoubt.some(
    (isOne, index) => isOne && !isOverdue(histories[index] ?? NO_ATTEMPTS, before.readAt),
  );
  // A read that does not agree with the one before counts, so that a list that goes back and forth holds nothing for
  // ever.
  const standsStill = observations.some((one, index) => {
    const { state, reads = 0 } = before.observations[index] ?? {};
    const isAwaited = (inDoubt[index] === true && reads < REGISTERING_READS) || isUnproven(one);
    return state === one.state && isAwaited;
  });
  const watchedMs =
    sinceProgressMs(before) + (standsStill ? 0 : watchedSince(before, now, meantMs));
  return {
    ...before,
    ...setBackBy(before, now, meantMs),
    progressedAt: hasProgressed || isTooEarly ? now : now - watchedMs,
    readAt: now,
    unreadableMs: null,
    looks: before.looks + 1,
    fastestRollMs: fastestRollOf(record, plan, before, observations, now),
    furthest: Math.max(reached, before.furthest),
    observations,
  };
}

/** For how many milliseconds the wave was watched without progress, up to the last complete read. */
export function sinceProgressMs({
  readAt,
  progressedAt,
}: Pick<WaveProgress, 'readAt' | 'progressedAt'>): number {
  return readAt - progressedAt;
}

/**
 * Goes on with the progress after another process has taken the rollout over, as if the time since the last look had
 * not passed. Before that look, the list may have been unreadable for a while. Done twice, it is the same.
 */
export function resumeProgress(before: WaveProgress, now: number): WaveProgress {
  const readAt = now - (before.unreadableMs ?? 0);
  const progressedAt = readAt - sinceProgressMs(before);
  const unwatchedMs = readAt - before.readAt;
  const observations = before.observations.map((one) => withoutUnwatched(one, unwatchedMs));
  const again = before.bakedMs !== null && { isCheckedAgain: true as const };
  const setBack = setBackBy(before, readAt, 0);
  return { ...before, ...again, ...setBack, observations, progressedAt, readAt, resumedAt: now };
}

/** The fastest roll, with the endpoints that this read shows converged for the first time. */
function fastestRollOf(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  before: WaveProgress,
  observations: readonly Observation[],
  now: number,
): number | null {
  const histories = rollsOfPlan(journal, plan);
  const times = observations.flatMap(({ state }, index) => {
    const rolledAt = histories[index]?.last?.at;
    const isNews = state === 'converged' && before.observations[index]?.state !== 'converged';
    // After the clock was set back, nobody knows.
    const wasSeen =
      rolledAt !== undefined && rolledAt <= now && rolledAt >= (before.resumedAt ?? rolledAt);
    return isNews && wasSeen ? [now - rolledAt] : [];
  });
  const fastest = Math.min(before.fastestRollMs ?? Number.POSITIVE_INFINITY, ...times);
  return Number.isFinite(fastest) ? fastest : null;
}
