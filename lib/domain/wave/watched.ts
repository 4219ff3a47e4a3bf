import type { Observation } from '../endpoint/observation.ts';
import type { WaveProgress } from '../rollout/record.ts';

/**
 * A step may take this long besides its wait and its read of the list: to start, and to be tried again. If more time
 * has passed, nobody watched the wave.
 */
const UNWATCHED_AFTER_MS = 30_000;

/**
 * Milliseconds since the last complete read in which somebody watched the wave. When more time has passed than was
 * meant to pass and than a step can take, nobody watched, and the meant time counts. The same holds when the clock
 * went back.
 */
export function watchedSince(
  { readAt }: Pick<WaveProgress, 'readAt'>,
  now: number,
  meantMs: number,
): number {
  const passedMs = now - readAt;
  return passedMs >= 0 && passedMs <= meantMs + UNWATCHED_AFTER_MS ? passedMs : meantMs;
}

/**
 * By how much the clock was set back in the rollout, with the look of now: it stands before the last look. Then the meant
 * time is what has passed.
 */
export function setBackBy(
  { readAt, setBackMs = 0 }: Pick<WaveProgress, 'readAt' | 'setBackMs'>,
  now: number,
  meantMs: number,
): Pick<WaveProgress, 'setBackMs'> {
  const allMs = setBackMs + (now < readAt ? readAt + meantMs - now : 0);
  return allMs === 0 ? {} : { setBackMs: allMs };
}

/** The same observation, as if the time in which nobody watched had not passed. */
export function withoutUnwatched(observation: Observation, unwatchedMs: number): Observation {
  const { since } = observation;
  return since === undefined ? observation : { ...observation, since: since + unwatchedMs };
}
