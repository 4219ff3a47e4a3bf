import type { Instant, Moment, Ms, Seconds } from '../clock.ts';
import { isNotYetGone, isShownConverged, type Observation } from '../endpoint/observation.ts';
import { BAKE_LOOK_SECONDS, LONGEST_LOOK_SECONDS, soonest, type Verdict } from '../look-again.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { Approval, RolloutPolicy } from '../rollout/policy.ts';
import type { WaveProgress } from '../rollout/record.ts';
import { areGatesDue } from './gate-watch.ts';
import { leftOf } from './polls.ts';

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
  const { bakedMs, doubtMs, unreadableMs, isCheckedAgain, watch, readAt } = before;
  const isOver = clock.watched - before.clock.watched >= bakeLeftMs(plan, before);
  const isSure = doubtMs === null && unreadableMs === null && !isCheckedAgain;
  const isAccused = watch !== undefined && watch.noes.length > 0;
  if (bakedMs === null || isOver || !isSure || isAccused) return true;
  if (asksEndpoints && areGatesDue({ ...before, clock })) return true;
  const ageSeconds = (clock.at - readAt) / 1000;
  return ageSeconds < 0 || ageSeconds >= listSecondsOf(plan, bakeSecondsOf(plan, before));
}

export function judgeBake(plan: RolloutPlan, progress: WaveProgress): Verdict<'baked'> {
  const leftSeconds = bakeLeftMs(plan, progress) / 1000;
  if (leftSeconds === 0) return 'baked';
  return soonest(leftSeconds, BAKE_LOOK_SECONDS);
}

/** What has to be heard more than once is known after so many looks, unless it takes time, too. */
export const MOST_READS = 3;

/**
 * Whether the doubt about a wave is over, which lasts no longer than the progress deadline. Up to then, somebody looks
 * again soon. After it, a gate was silent before, and the last read may be an old answer, too: a few more looks come. When
 * it shows all of it live again, only the read that confirms it is missing, and that one decides. An endpoint that is missing
 * since one of these looks has its time, too.
 *
 * @param unsettled What the list says against the wave, as far as another read may say otherwise. @default - the doubt
 *   comes from a gate
 */
export function judgeDoubt(
  { doubtMs, looksInDoubt, ...paused }: Pick<WaveProgress, 'doubtMs' | 'looksInDoubt' | 'isPaused'>,
  { pollSeconds, progressDeadlineSeconds }: RolloutPolicy,
  unsettled: readonly Observation[] = [],
): Verdict<'over'> {
  const leftSeconds = leftOf(progressDeadlineSeconds - (doubtMs ?? 0) / 1000, paused);
  if (leftSeconds > 0) return soonest(leftSeconds, pollSeconds);
  const isNew = unsettled.some(({ reads }) => reads < MOST_READS) && looksInDoubt < MOST_READS;
  const isGoing = unsettled.some((one) => {
    return isNotYetGone(one) && looksInDoubt - one.reads + 1 < MOST_READS;
  });
  const isJustThere = unsettled.length > 0 && unsettled.every(isShownConverged);
  return isNew || isGoing || isJustThere ? soonest(pollSeconds) : 'over';
}

const SHORTEST_APPROVAL_LOOK_SECONDS = 5;

/** Most answers come soon, and whoever gives one waits for what follows. */
const FIRST_HOUR: { readonly lasts: Seconds; readonly longestLook: Seconds } = {
  lasts: 3600,
  longestLook: 60,
};

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

/**
 * The times of a wave in its bake, after a look that could read the list. They go on with the clock. After the deadline of
 * a doubt looks count and not time, however slow the list and the gates are. The time for an approval stands still unless
 * somebody was asked before the wait and nothing gave a reason to doubt.
 *
 * @param isAsked Whether somebody was asked for the approval of the wave before the wait.
 */
export function bakeOn(
  plan: RolloutPlan,
  before: WaveProgress,
  { progressDeadlineSeconds }: Pick<RolloutPolicy, 'progressDeadlineSeconds'>,
  { passedMs, isAsked, countedMs = passedMs }: BakeWait,
): Pick<WaveProgress, 'bakedMs' | 'askedMs' | 'doubtMs' | 'looksInDoubt'> {
  const { bakedMs, askedMs, doubtMs, looksInDoubt, unreadableMs } = before;
  const isOver = doubtMs !== null && doubtMs >= progressDeadlineSeconds * 1000;
  return {
    bakedMs: (bakedMs ?? 0) + Math.min(passedMs, bakeLeftMs(plan, before)),
    askedMs: isAsked && doubtMs === null && unreadableMs === null ? askedMs + countedMs : askedMs,
    doubtMs: doubtMs === null ? 0 : doubtMs + countedMs,
    looksInDoubt: isOver ? looksInDoubt + 1 : 0,
  };
}

interface BakeWait {
  readonly passedMs: Ms;
  readonly isAsked: boolean;
  /** What of that counts for deadlines, and for the time of an approval. @default - all of it */
  readonly countedMs?: Ms;
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
