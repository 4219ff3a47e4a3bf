import { localTimeIn } from '../window/local-time.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * When the clocks of a zone show a time, in milliseconds since the Unix epoch: `null` where they skip it, and
 * the first time where they show it twice.
 *
 * @param shown What they show, in milliseconds, as if it were UTC.
 */
export function instantOf(shown: number, timeZone: string): number | null {
  // The clocks are changed at most once in these two days, so one of the two offsets holds.
  const instants = [shown - DAY_MS, shown + DAY_MS]
    .map((near) => shown - (shownAt(near, timeZone) - near))
    .filter((instant) => shownAt(instant, timeZone) === shown);
  return instants.length === 0 ? null : Math.min(...instants);
}

/**
 * What the clocks of a zone show, in milliseconds, as if it were UTC.
 *
 * @param instant Milliseconds since the Unix epoch.
 */
export function shownAt(instant: number, timeZone: string): number {
  const withinMinute = ((instant % MINUTE_MS) + MINUTE_MS) % MINUTE_MS;
  return Date.parse(`${localTimeIn(timeZone, instant)}Z`) + withinMinute;
}
