import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { WaveProgress } from '../rollout/record.ts';
import { watchedSince } from './watched.ts';

/** The smallest number of looks at a wave while it bakes, so that an abort or a regress is not found hours later. */
const LOOKS_PER_BAKE = 100;
const SHORTEST_LOOK_SECONDS = 60;

/** Seconds before each look at a wave, from its convergence to the end of a bake of this length. */
export function waitsOfBake(bakeSeconds: number): readonly number[] {
  const waits: number[] = [];
  let bakedSeconds = 0;
  do {
    const seconds = waitOfBake(bakeSeconds, bakedSeconds);
    waits.push(seconds);
    bakedSeconds += seconds;
  } while (bakedSeconds < bakeSeconds);
  return waits;
}

/** Seconds until the next look at a wave that has converged or bakes already; 0 once it has baked. */
export function bakeLookSeconds(plan: RolloutPlan, progress: WaveProgress): number {
  return waitOfBake(bakeSecondsOf(plan, progress.wave), (progress.bakedMs ?? 0) / 1000);
}

function waitOfBake(bakeSeconds: number, bakedSeconds: number): number {
  const look = Math.max(SHORTEST_LOOK_SECONDS, bakeSeconds / LOOKS_PER_BAKE);
  return Math.max(0, Math.ceil(Math.min(look, bakeSeconds - bakedSeconds)));
}

/**
 * Seconds until the next look at a wave that gives a reason to doubt: soon, and not after the deadline. 0: the deadline
 * has passed, because the doubt has lasted for as long as the progress deadline.
 */
export function doubtLookSeconds(
  { doubtMs }: Pick<WaveProgress, 'doubtMs'>,
  { pollSeconds, progressDeadlineSeconds }: RolloutPolicy,
): number {
  const leftSeconds = progressDeadlineSeconds - (doubtMs ?? 0) / 1000;
  return Math.max(0, Math.ceil(Math.min(pollSeconds, leftSeconds)));
}

/**
 * For how many milliseconds a wave has given a reason to doubt, with the look of now. Up to the deadline the time counts
 * in which somebody watched. After it each look counts as one poll interval, however slow the list and the gates are.
 */
export function addDoubt(
  { doubtMs, readAt }: Pick<WaveProgress, 'doubtMs' | 'readAt'>,
  { pollSeconds, progressDeadlineSeconds }: RolloutPolicy,
  now: number,
  meantMs: number,
): number {
  if (doubtMs === null) return 0;
  const deadlineMs = progressDeadlineSeconds * 1000;
  return doubtMs < deadlineMs
    ? Math.min(deadlineMs, doubtMs + watchedSince({ readAt }, now, meantMs))
    : doubtMs + pollSeconds * 1000;
}

/** For how many milliseconds longer than needed the wave has been in its bake. */
export function sinceBakedMs(plan: RolloutPlan, progress: WaveProgress): number {
  return (progress.bakedMs ?? 0) - bakeSecondsOf(plan, progress.wave) * 1000;
}

/**
 * How long a wave has baked after a wait of `waitSeconds` that ended now. At most the wait is counted, because the
 * clock may have jumped. What comes after the bake is the time for an approval. It runs from when somebody was asked,
 * and not while a gate or the list gives a reason to doubt, or the list cannot be read.
 *
 * @param isAsked Whether somebody was asked for the approval of the wave before the wait.
 */
export function addBake(
  plan: RolloutPlan,
  {
    wave,
    bakedMs,
    readAt,
    doubtMs,
    unreadableMs,
  }: Pick<WaveProgress, 'wave' | 'bakedMs' | 'readAt' | 'doubtMs' | 'unreadableMs'>,
  now: number,
  waitSeconds: number,
  isAsked: boolean,
): number {
  const beforeMs = bakedMs ?? 0;
  const passedMs = Math.max(0, now - readAt);
  const afterMs = beforeMs + Math.min(passedMs, waitSeconds * 1000);
  if (isAsked && doubtMs === null && unreadableMs === null) return afterMs;
  return Math.min(afterMs, Math.max(beforeMs, bakeSecondsOf(plan, wave) * 1000));
}

function bakeSecondsOf({ waves }: RolloutPlan, wave: number): number {
  return waves[wave]?.bakeSeconds ?? 0;
}

/**
 * When a wave has converged, in milliseconds since the Unix epoch. What was written down then says it, and not how long
 * the wave was watched since then, because time in which nobody watched does not count. Only when the clock was ahead
 * then, it is later than the wave was watched.
 */
export function convergedAt({
  convergedAt: saidAt = Number.POSITIVE_INFINITY,
  watchedMs,
  bakedMs,
  readAt,
}: WaveProgress): number {
  return Math.min(saidAt, readAt - (watchedMs ?? bakedMs ?? 0));
}
