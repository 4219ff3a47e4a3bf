import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { WaveProgress } from '../rollout/record.ts';

/** A baking wave is looked at so often, at least: an abort or a regress is not found hours later. */
const LOOKS_PER_BAKE = 100;
const SHORTEST_LOOK_SECONDS = 60;

/** Seconds before each look at a wave that bakes for so long, from its convergence to the end of its bake. */
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

/** Seconds until a wave that has converged, or bakes already, is looked at again; 0 once it has baked. */
export function bakeLookSeconds(plan: RolloutPlan, progress: WaveProgress): number {
  return waitOfBake(bakeSecondsOf(plan, progress), (progress.bakedMs ?? 0) / 1000);
}

function waitOfBake(bakeSeconds: number, bakedSeconds: number): number {
  const look = Math.max(SHORTEST_LOOK_SECONDS, bakeSeconds / LOOKS_PER_BAKE);
  return Math.max(0, Math.ceil(Math.min(look, bakeSeconds - bakedSeconds)));
}

/**
 * Seconds until a wave that gives cause for doubt is looked at again: soon, and not beyond the deadline. 0:
 * it has given cause for doubt for as long as the deadline.
 */
export function doubtLookSeconds(
  { doubtMs }: Pick<WaveProgress, 'doubtMs'>,
  { pollSeconds, progressDeadlineSeconds }: RolloutPolicy,
): number {
  const leftSeconds = progressDeadlineSeconds - (doubtMs ?? 0) / 1000;
  return Math.max(0, Math.ceil(Math.min(pollSeconds, leftSeconds)));
}

/** Milliseconds for which the wave has been longer in its bake than it has to be. */
export function sinceBakedMs(plan: RolloutPlan, progress: WaveProgress): number {
  return (progress.bakedMs ?? 0) - bakeSecondsOf(plan, progress) * 1000;
}

/**
 * How long a wave has baked, after a wait of `waitSeconds` that ended now. The wait is what counts and not
 * the clock, which may have jumped: more than was waited never counts.
 */
export function addBake(
  { bakedMs, readAt }: Pick<WaveProgress, 'bakedMs' | 'readAt'>,
  now: number,
  waitSeconds: number,
): number {
  const passedMs = Math.max(0, now - readAt);
  return (bakedMs ?? 0) + Math.min(passedMs, waitSeconds * 1000);
}

function bakeSecondsOf({ waves }: RolloutPlan, { wave }: WaveProgress): number {
  return waves[wave]?.bakeSeconds ?? 0;
}
