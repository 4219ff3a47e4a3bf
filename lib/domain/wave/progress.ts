import { type Moment, type Ms, standStill } from '../clock.ts';
import { type Attempts, NO_ATTEMPTS } from '../endpoint/attempts.ts';
import {
  isNotYetGone,
  isUnproven,
  type Observation,
  REGISTERING_READS,
} from '../endpoint/observation.ts';
import { isOverdue, isUnsure, rollsOfPlan } from '../endpoint/rolls.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { convergedAt } from './bake.ts';
import { reachOf } from './observations.ts';

/** Begins a wave after the earlier ones. Its deadline starts to run. */
export function beginWave(
  { direction }: Pick<RolloutPlan, 'direction'>,
  wave: number,
  clock: Moment,
  before?: WaveProgress,
): WaveProgress {
  const observations = before?.observations ?? [];
  // What a gate has said of this leg says nothing of another one.
  const watch = before?.direction === direction ? before.watch : undefined;
  return {
    direction,
    wave,
    clock,
    readAt: clock.at,
    stalledMs: 0,
    unreadableMs: null,
    bakedMs: null,
    doubtMs: null,
    looksInDoubt: 0,
    askedMs: 0,
    ...(before && watch && { watch: { ...watch, since: convergedAt(before) } }),
    ...(before?.watched && { watched: before.watched }),
    ...(before?.gateChanges && { gateChanges: before.gateChanges }),
    looks: before?.looks ?? 0,
    fastestRollMs: before?.fastestRollMs ?? null,
    furthest: reachOf(observations),
    observations,
  };
}

interface WaveRead {
  readonly observations: readonly Observation[];
  readonly clock: Moment;
}

/**
 * Adds one complete read to the wave's progress. Only when the wave gets further than ever before does the deadline
 * move; getting back to an earlier point does not move it. It begins anew, too, as long as a roll that may never have been
 * sent cannot be repeated, which is for a minute. After that it stands still while reads agree with the ones before, and
 * are too few to repeat that roll, or show an endpoint live, or gone, that may be an old answer.
 */
export function advanceProgress(
  record: Pick<RolloutRecord, 'journal' | 'isPaused'>,
  plan: RolloutPlan,
  before: WaveProgress,
  { observations, clock }: WaveRead,
): WaveProgress {
  const reached = reachOf(observations);
  const hasProgressed = reached > before.furthest;
  const histories = rollsOfPlan(record.journal, plan);
  const inDoubt = observations.map(
    ({ state }, index) => state === 'requested' && isUnsure(histories[index] ?? NO_ATTEMPTS),
  );
  const isTooEarly = inDoubt.some((isOne, index) => {
    return isOne && !isOverdue(histories[index] ?? NO_ATTEMPTS, before.clock.watched);
  });
  // A read that does not agree with the one before counts, so that a list that goes back and forth holds nothing for
  // ever.
  const standsStill = observations.some((one, index) => {
    const { state, reads = 0 } = before.observations[index] ?? {};
    const isAwaited = (inDoubt[index] === true && reads < REGISTERING_READS) || isUnproven(one);
    return state === one.state && (isAwaited || isNotYetGone(one));
  });
  const passedMs = standsStill ? 0 : countedMs(record, before, clock);
  return {
    ...withPause(record, before),
    clock,
    readAt: clock.at,
    stalledMs: hasProgressed || isTooEarly ? 0 : before.stalledMs + passedMs,
    unreadableMs: null,
    looks: before.looks + 1,
    fastestRollMs: fastestRollOf(histories, before, { observations, clock }),
    furthest: Math.max(reached, before.furthest),
    observations,
  };
}

/** By how much deadlines go on. Under a pause they stand still, from the look that hears of it to its end. */
export function countedMs(
  { isPaused }: Pick<RolloutRecord, 'isPaused'>,
  before: WaveProgress,
  clock: Moment,
): Ms {
  return isPaused || before.isPaused ? 0 : clock.watched - before.clock.watched;
}

/** The progress with the pause of this look, in place of that of the last one. */
export function withPause(
  { isPaused }: Pick<RolloutRecord, 'isPaused'>,
  { isPaused: _, ...before }: WaveProgress,
): WaveProgress {
  return { ...before, ...(isPaused && { isPaused }) };
}

/** After another process took it over: the clock has stood still since then. Done twice, it is the same. */
export function resumeProgress(before: WaveProgress, last: Moment, now: number): WaveProgress {
  const clock = standStill(last, now);
  const again = before.bakedMs !== null && { isCheckedAgain: true as const };
  return { ...before, ...again, clock, resumed: clock.watched };
}

/** What was sent before another process took the rollout over does not say how long its roll took. */
function fastestRollOf(
  histories: readonly Attempts[],
  before: WaveProgress,
  { observations, clock }: WaveRead,
): WaveProgress['fastestRollMs'] {
  const times = observations.flatMap(({ state }, index) => {
    const rolled = histories[index]?.last?.watched;
    const last = before.observations[index];
    const isNews = state === 'converged' && last?.state !== 'converged';
    const wasSeen = rolled !== undefined && rolled >= (before.resumed ?? 0);
    const isTimed = wasSeen && !(last && isUnproven(last));
    return isNews && isTimed ? [clock.watched - rolled] : [];
  });
  const fastest = Math.min(before.fastestRollMs ?? Number.POSITIVE_INFINITY, ...times);
  return Number.isFinite(fastest) ? fastest : null;
}
