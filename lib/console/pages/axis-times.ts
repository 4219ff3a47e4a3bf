import { clockTime, dateMinute } from '../../domain/local-time.ts';

const HOUR_MS = 3_600_000;

/** What an axis may show at most, so that the next hours are not lost beside a schedule of next week. */
const SPANS_MS: readonly number[] = [1, 3, 6, 12, 24, 72, 168].map((hours) => hours * HOUR_MS);

/** Milliseconds from now on in which at least half of all times lie. */
export function spanOf(times: readonly number[], now: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  const middle = (sorted[Math.floor(sorted.length / 2)] ?? now) - now;
  return SPANS_MS.find((span) => span >= middle) ?? middle;
}

const PARTS = 4;

/** The times at the quarters of an axis as clocks show them in UTC: `08:00Z`, on another day with the day. */
export function labelsOf(now: number, spanMs: number): readonly string[] {
  return Array.from({ length: PARTS + 1 }, (_, place) => {
    const at = now + (place * spanMs) / PARTS;
    const isShort = spanMs <= 24 * HOUR_MS;
    return isShort ? `${clockTime(at).slice(0, 5)}Z` : dateMinute(at);
  });
}
