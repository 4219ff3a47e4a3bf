import { LONGEST_LOOK_SECONDS } from '../../domain/look-again.ts';

const MAX_WAIT_MS = LONGEST_LOOK_SECONDS * 1_000;

const SECONDS = /^\d+$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The milliseconds that a Retry-After header asks for, at most 300 s; `null` when there is none or it makes no sense.
 * A date is counted from the answer's own Date header, so a wrong clock does not matter. Without that header it is
 * counted from `now`, in milliseconds since the Unix epoch.
 */
export function parseRetryAfter(
  retryAfter: string | undefined,
  date: string | undefined,
  now: number,
): number | null {
  const value = retryAfter?.trim() ?? '';
  if (SECONDS.test(value)) return Math.min(Number(value) * 1_000, MAX_WAIT_MS);
  const until = parseDate(value);
  if (until === null) return null;
  const from = parseDate(date?.trim() ?? '') ?? now;
  return Math.min(Math.max(until - from, 0), MAX_WAIT_MS);
}

function parseDate(value: string): number | null {
  const time = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
