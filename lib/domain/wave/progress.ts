import {
  isUnproven,
  isUnregistered,
  type Observation,
  REGISTERING_READS,
} from '../endpoint/observation.ts';
import { isOverdue, isUnsure, NO_ROLLS, rollsOfPlan } from '../endpoint/rolls.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { reachOf } from './observations.ts';
import { watchedSince, withoutUnwatched } from './watched.ts';

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
 * move; getting back to an earlier point does not move it. The deadline stands still while we wait to repeat a roll that
 * may never have been sent, and while a list that shows an endpoint live may be an old answer. Time in which nobody
 * looked, because no process ran, its clock jumped or the list could not be read, is not time without progress: only the
 * watched time since the last read counts.
 */
export function advanceProgress(
  record: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  before: WaveProgress,
  { observations, now, meantMs }: WaveRead,
): WaveProgress {
  const reached = reachOf(observations);
  const hasProgressed = reached > before.furthest;
  // The deadline does not begin anew, so that a list that goes back and forth cannot hold it for ever.
  const standsStill =
    isWaitingToRepeat(record, plan, before, observations) || observations.some(isUnproven);
  const watchedMs =
    sinceProgressMs(before) + (standsStill ? 0 : watchedSince(before, now, meantMs));
  return {
    ...before,
    progressedAt: hasProgressed ? now : now - watchedMs,
    readAt: now,
    unreadableMs: null,
    looks: before.looks + 1,
    fastestRollMs: fastestRollOf(record, plan, before, observations, now),
    furthest: Math.max(reached, before.furthest),
    observations,
  };
}

/**
 * Whether a roll may never have been sent and at the last read it was too early to repeat it. That happens when a
 * process dies between its journal and its call, or when the call gets no answer.
 */
function isWaitingToRepeat(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  before: WaveProgress,
  observations: readonly Observation[],
): boolean {
  const histories = rollsOfPlan(journal, plan);
  return observations.some((observation, index) => {
    const history = histories[index] ?? NO_ROLLS;
    if (!isUnregistered(observation) || !isUnsure(history)) return false;
    const { reads = 0 } = before.observations[index] ?? {};
    return reads < REGISTERING_READS || !isOverdue(history, before.readAt);
  });
}

/** For how many milliseconds the wave was watched without progress, up to the last complete read. */
export function sinceProgressMs({
  readAt,
  progressedAt,
}: Pick<WaveProgress, 'readAt' | 'progressedAt'>): number {
  return readAt - progressedAt;
}

/**
 * Goes on with the progress after another process has taken the rollout over. Nobody has watched the wave since the
 * last read.
 */
export function resumeProgress(before: WaveProgress, now: number): WaveProgress {
  const progressedAt = now - sinceProgressMs(before);
  const unwatchedMs = now - before.readAt;
  const observations = before.observations.map((one) => withoutUnwatched(one, unwatchedMs));
  return { ...before, observations, progressedAt, readAt: now, resumedAt: now };
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
    const wasSeen = rolledAt !== undefined && rolledAt >= (before.resumedAt ?? rolledAt);
    return isNews && wasSeen ? [now - rolledAt] : [];
  });
  const fastest = Math.min(before.fastestRollMs ?? Number.POSITIVE_INFINITY, ...times);
  return Number.isFinite(fastest) ? fastest : null;
}
