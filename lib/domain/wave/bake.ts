import type { Instant, Moment, Ms, Seconds } from '../clock.ts';
import {
  BAKE_LOOK_SECONDS,
  FIRST_HOUR,
  LONGEST_LOOK_SECONDS,
  soonest,
  type Verdict,
} from '../look-again.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { Approval } from '../rollout/policy.ts';
import type { WaveProgress } from '../rollout/record.ts';
import { areGatesDue } from './gate-watch.ts';
import { isWell } from './hearing.ts';

/**
 * Seconds before each look at a wave, from its convergence to the end of a bake of this length.
 *
 * @param everySeconds How often gates are asked, beginning with the convergence. @default - there are none
 */
export function waitsOfBake(
  bakeSeconds: number,
  everySeconds: number = Number.POSITIVE_INFINITY,
): readonly number[] {
  const waits: number[] = [];
  let bakedSeconds = 0;
  let dueAt = everySeconds;
  do {
    if (bakedSeconds >= dueAt) dueAt = bakedSeconds + everySeconds;
    const leftSeconds = bakeSeconds - bakedSeconds;
    const { lookAgainIn } = soonest(leftSeconds, BAKE_LOOK_SECONDS, dueAt - bakedSeconds);
    waits.push(lookAgainIn);
    bakedSeconds += lookAgainIn;
  } while (bakedSeconds < bakeSeconds);
  return waits;
}

/** What takes more than ten pages of 100 endpoints is not read at every look of a bake. */
const MOST_READ_EACH_LOOK = 1_000;

/** For so long what a list has shown of a wave in its bake is good enough. */
export function listSecondsOf({ endpoints, leftOut }: RolloutPlan, bakeSeconds: Seconds): Seconds {
  const isLarge = endpoints.length + leftOut.length > MOST_READ_EACH_LOOK;
  return isLarge ? Math.max(BAKE_LOOK_SECONDS, bakeSeconds / 100) : 0;
}

/**
 * Whether a look at a wave reads the list. Nothing is decided without one but to bake on: it is read at the end of the
 * bake, as long as anything is in doubt, and when a gate has said no, which the look may confirm.
 *
 * @param clock When the look begins.
 * @param asksEndpoints Whether the gates need to know the endpoints.
 */
export function isListDue(
  plan: RolloutPlan,
  before: WaveProgress,
  clock: Moment,
  asksEndpoints: boolean,
): boolean {
  const { bakedMs, watch, readAt } = before;
  const isOver = clock.watched - before.clock.watched >= bakeLeftMs(plan, before);
  const isAccused = watch !== undefined && watch.noes.length > 0;
  if (bakedMs === null || isOver || !isWell(before) || isAccused) return true;
  if (asksEndpoints && areGatesDue({ ...before, clock })) return true;
  const ageSeconds = (clock.at - readAt) / 1000;
  return ageSeconds < 0 || ageSeconds >= listSecondsOf(plan, bakeSecondsOf(plan, before));
}

export function judgeBake(plan: RolloutPlan, progress: WaveProgress): Verdict<'baked'> {
  const leftSeconds = bakeLeftMs(plan, progress) / 1000;
  if (leftSeconds === 0) return 'baked';
  return soonest(leftSeconds, BAKE_LOOK_SECONDS);
}

const SHORTEST_APPROVAL_LOOK_SECONDS = 5;

export function judgeApproval(
  { askedMs }: Pick<WaveProgress, 'askedMs'>,
  { timeoutSeconds }: Pick<Approval, 'timeoutSeconds'>,
): Verdict<'over'> {
  const askedSeconds = askedMs / 1000;
  const leftSeconds = timeoutSeconds - askedSeconds;
  if (leftSeconds <= 0) return 'over';
  const longest = askedSeconds < FIRST_HOUR.lasts ? FIRST_HOUR.longestLook : LONGEST_LOOK_SECONDS;
  return soonest(Math.max(SHORTEST_APPROVAL_LOOK_SECONDS, askedSeconds / 10), longest, leftSeconds);
}

export function bakeLeftMs(plan: RolloutPlan, progress: WaveProgress): Ms {
  return Math.max(0, bakeSecondsOf(plan, progress) * 1000 - (progress.bakedMs ?? 0));
}

/** How long a wave bakes from its convergence on. */
export function bakeSecondsOf(
  { waves }: Pick<RolloutPlan, 'waves'>,
  { wave, promoted }: { readonly wave: number; readonly promoted?: WaveProgress['promoted'] },
): Seconds {
  const planned = waves[wave]?.bakeSeconds ?? 0;
  return promoted === undefined ? planned : Math.min(planned, promoted.bakeSeconds);
}

/**
 * When a wave has converged, as metrics are asked for it. What was written down then says it, and not how long the wave
 * was watched since then, because time in which nobody watched does not count. Only when the clock was ahead then, it is
 * later than the wave was watched.
 */
export function convergedAt({ converged, clock }: WaveProgress): Instant {
  const { at, watched } = converged ?? clock;
  return Math.min(at, clock.at - (clock.watched - watched));
}
