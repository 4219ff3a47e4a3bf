import type { Ms } from '../../domain/clock.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { StepClock } from '../../ports/clock.ts';

/** A call that begins just before the deadline may still be answered. */
const ONE_CALL_MS: Ms = 10_000;

/** A clock that has not gone on for longer than a few minutes takes that for a process that stood still. */
const TICK_MS: Ms = 60_000;

/**
 * Reads something that may take many calls, for as long as is left until a deadline and one call more. Then the calls are
 * given up, and nobody waits for them.
 *
 * @param tick Moves the clock on by which the read is timed.
 * @throws `UpstreamTimeout` when it takes longer.
 */
export async function readWithin<T>(
  leftMs: Ms,
  read: (signal: AbortSignal) => Promise<T>,
  { sleep }: Pick<StepClock, 'sleep'>,
  tick: () => unknown,
): Promise<T> {
  const reading = new AbortController();
  const isOver = new AbortController();
  const longestMs = Math.max(0, leftMs) + ONE_CALL_MS;
  const giveUp = async () => {
    for (let ms = longestMs; ms > 0; ms -= TICK_MS) {
      await sleep(Math.min(ms, TICK_MS), isOver.signal);
      tick();
    }
    const message = `the list was not complete within ${Math.round(longestMs / 1000)} s`;
    const late = new SteprollError(ErrorName.UpstreamTimeout, message);
    reading.abort(late);
    throw late;
  };
  try {
    return await Promise.race([read(reading.signal), giveUp()]);
  } finally {
    isOver.abort(null);
  }
}
