import { type Instant, type Moment, type Ms, standStill } from '../clock.ts';
import { type Attempts, NO_ATTEMPTS } from '../endpoint/attempts.ts';
import { isUnproven, type Observation } from '../endpoint/observation.ts';
import { isOverdue, isUnsure, rollsOfPlan } from '../endpoint/rolls.ts';
import type { Hearing } from '../rollout/hearing.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { WAITS } from '../rollout/wait.ts';
import { bakeLeftMs, convergedAt } from './bake.ts';
import { countHeard, hearEndpoints, isWell, waitForGates } from './hearing.ts';
import { reachOf } from './observations.ts';
import { findToleratedLosses } from './tolerated-losses.ts';

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
    heard: 'work',
    stuckMs: 0,
    silentMs: 0,
    bakedMs: null,
    askedMs: 0,
    ...(before && watch && { watch: { ...watch, since: convergedAt(before) } }),
    ...(before?.watched && { watched: before.watched }),
    ...(before?.gateCourses && { gateCourses: before.gateCourses }),
    looks: before?.looks ?? 0,
    fastestRollMs: before?.fastestRollMs ?? null,
    ...(before?.learntRollMs !== undefined && { learntRollMs: before.learntRollMs }),
    ...(before?.direction === direction &&
      before.usualRollMs !== undefined && { usualRollMs: before.usualRollMs }),
    furthest: reachOf(observations),
    observations,
  };
}

/** What a look has read. */
interface WaveRead {
  readonly observations: readonly Observation[];
  readonly clock: Moment;
  /** When the list was complete that shows this. */
  readonly readAt: Instant;
  /** Whether somebody was asked for the approval of the wave before this look. */
  readonly isAsked: boolean;
}

/**
 * Adds a look to the wave's progress, before any gate is asked. Its deadlines begin anew only when the wave gets further than
 * ever before; getting back to an earlier point is no progress. They begin anew, too, as long as a roll that may never have
 * been sent cannot be repeated, which is for a minute. A bake, and the time for an approval, go on between two looks that
 * found all of it well.
 */
export function advanceProgress(
  record: Pick<RolloutRecord, 'journal' | 'isPaused' | 'wait' | 'news' | 'request'>,
  plan: RolloutPlan,
  last: WaveProgress,
  { observations, clock, readAt, isAsked }: WaveRead,
): WaveProgress {
  const { readFault: _, ...before } = last;
  const histories = rollsOfPlan(record.journal, plan);
  const tolerated = findToleratedLosses(plan, observations, record.request.policy);
  const counting = observations
    .map((one, index) => ({ ...one, index }))
    .filter(({ index }) => !tolerated.has(index));
  const heard = hearEndpoints({ observations: counting, before: before.observations, histories });
  const reached = reachOf(observations);
  const isTooEarly = observations.some(({ state }, index) => {
    const history = histories[index] ?? NO_ATTEMPTS;
    const isSent = state === 'requested' && isUnsure(history);
    return isSent && !isOverdue(history, before.clock.watched);
  });
  const isFurther = reached > before.furthest || isTooEarly;
  const passedMs = countedMs(record, before, clock);
  const wasWell = isWell(before);
  return {
    ...withPause(record, before),
    clock,
    readAt,
    ...waitForGates(before, passedMs, record.request.policy),
    ...countHeard(
      isFurther ? { ...before, stuckMs: 0, silentMs: 0 } : before,
      heard,
      isFurther ? 0 : passedMs,
    ),
    bakedMs: bakedMsAfter(plan, before, heard, clock),
    askedMs: before.askedMs + (isAsked && wasWell ? passedMs : 0),
    looks: before.looks + 1,
    ...fastestRollsOf(histories, before, { observations, clock }),
    furthest: Math.max(reached, before.furthest),
    observations,
  };
}

/** The wave has converged: its bake begins. */
export function beginBake(progress: WaveProgress): WaveProgress {
  return { ...progress, bakedMs: 0, converged: progress.clock };
}

/** A pause does not stop a bake, which is time in which nothing speaks against the wave. */
function bakedMsAfter(
  plan: RolloutPlan,
  before: WaveProgress,
  now: Hearing,
  clock: Moment,
): WaveProgress['bakedMs'] {
  const { bakedMs, heard } = before;
  if (bakedMs === null || now !== 'well' || heard !== 'well') return bakedMs;
  const passedMs = clock.watched - before.clock.watched;
  return bakedMs + Math.min(passedMs, bakeLeftMs(plan, before));
}

/**
 * By how much deadlines go on. Under a pause they stand still, from the look that hears of it to its end, and so they do
 * while nothing but a window is waited for.
 */
export function countedMs(
  { isPaused, wait }: Pick<RolloutRecord, 'isPaused' | 'wait'>,
  before: WaveProgress,
  clock: Moment,
): Ms {
  const standsStill = wait !== null && WAITS[wait.for].stopsDeadlines;
  return isPaused || before.isPaused || standsStill ? 0 : clock.watched - before.clock.watched;
}

/** The progress with the pause of this look and what the log gets of it, in place of those of the last one. */
export function withPause(
  { isPaused, news }: Pick<RolloutRecord, 'isPaused' | 'news'>,
  { isPaused: _, news: __, ...before }: WaveProgress,
): WaveProgress {
  return { ...before, ...(isPaused && { isPaused }), ...(news && { news }) };
}

/** After another process took it over: the clock has stood still since then. Done twice, it is the same. */
export function resumeProgress(before: WaveProgress, last: Moment, now: number): WaveProgress {
  const clock = standStill(last, now);
  return { ...before, clock, resumed: clock.watched };
}

/** The first roll that is found live by the first look took less, and nobody knows how much. So rolls that got faster are noticed. */
const FOUND_LIVE_SHARE = 0.9;

/** What was sent before another process took the rollout over does not say how long its roll took. */
function fastestRollsOf(
  histories: readonly Attempts[],
  before: WaveProgress,
  { observations, clock }: Pick<WaveRead, 'observations' | 'clock'>,
): Pick<WaveProgress, 'fastestRollMs' | 'learntRollMs'> {
  const rolls = observations.flatMap(({ state }, index) => {
    const rolled = histories[index]?.last?.watched;
    const last = before.observations[index];
    const isNews = state === 'converged' && last?.state !== 'converged';
    const wasSeen = rolled !== undefined && rolled >= (before.resumed ?? 0);
    const isTimed = wasSeen && !(last && isUnproven(last));
    const isFirstLook = last === undefined || last.state === 'pending';
    return isNews && isTimed ? [{ tookMs: clock.watched - rolled, isFirstLook }] : [];
  });
  const { fastestRollMs, learntRollMs } = before;
  if (rolls.length === 0) {
    return { fastestRollMs, ...(learntRollMs !== undefined && { learntRollMs }) };
  }
  const took = rolls.map(({ tookMs }) => tookMs);
  const learnt = rolls.map(({ tookMs, isFirstLook }) =>
    isFirstLook && fastestRollMs === null ? Math.round(tookMs * FOUND_LIVE_SHARE) : tookMs,
  );
  return {
    fastestRollMs: Math.min(fastestRollMs ?? Number.POSITIVE_INFINITY, ...took),
    learntRollMs: Math.min(learntRollMs ?? Number.POSITIVE_INFINITY, ...learnt),
  };
}
