import { type Moment, tick } from '../../domain/clock.ts';
import type { StepClock } from '../../ports/clock.ts';

/**
 * The clock of a rollout while a process works on it: each call moves it on by what has passed in the process, so a jump of
 * the machine's clock is not taken for time.
 */
export function runFrom(
  begun: Moment,
  { now, elapsed }: Pick<StepClock, 'now' | 'elapsed'>,
): () => Moment {
  let last = { moment: begun, elapsed: elapsed() };
  return () => {
    const reading = elapsed();
    last = { moment: tick(last.moment, now(), reading - last.elapsed), elapsed: reading };
    return last.moment;
  };
}
