import type { Instant } from './clock.ts';

const DAY_MS = 24 * 3_600_000;

/** To make a format takes far longer than to use it, and a scan uses it hundreds of times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** What the clocks of a zone show, as `2026-12-18T18:00`. These texts sort in the order of the times. */
export function localTimeIn(timeZone: string, at: Instant): string {
  const { year, month, day, hour, minute } = Object.fromEntries(
    formatIn(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return `${year}-${month}-${day}T${hour}:${minute}`;
}

/** @param daysBefore How many days before that local time. @default 0 */
export function weekdayOf(localTime: string, daysBefore = 0): Weekday | undefined {
  const day = new Date(Date.parse(`${localTime}Z`) - daysBefore * DAY_MS).getUTCDay();
  // Sunday is 0, so `at` takes the last weekday for it.
  return WEEKDAYS.at(day - 1);
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  formats.set(timeZone, format);
  return format;
}

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const MINUTE_MS = 60_000;

/**
 * The time at which the clocks of a zone show `shown`, in milliseconds since the Unix epoch. `null` when the clocks
 * skip it; the first time when they show it twice.
 *
 * @param shown What the clocks show, in milliseconds, as if it were UTC.
 */
export function instantOf(shown: number, timeZone: string): number | null {
  // The clocks change at most once in these two days, so one of the two offsets is right.
  const instants = [shown - DAY_MS, shown + DAY_MS]
    .map((near) => shown - (shownAt(near, timeZone) - near))
    .filter((instant) => shownAt(instant, timeZone) === shown);
  return instants.length === 0 ? null : Math.min(...instants);
}

/** What the clocks of a zone show, in milliseconds, as if it were UTC. */
export function shownAt(instant: Instant, timeZone: string): number {
  const withinMinute = ((instant % MINUTE_MS) + MINUTE_MS) % MINUTE_MS;
  return Date.parse(`${localTimeIn(timeZone, instant)}Z`) + withinMinute;
}

// An instant as people read it: in UTC, as in all other logs, because readers may be anywhere.

/** The day: `2026-01-31`. */
export function dayOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The time of day: `12:03:07Z`. */
export function clockTime(at: Instant): string {
  return `${new Date(at).toISOString().slice(11, 19)}Z`;
}

/** Day and time: `2026-01-31 12:03:07Z`. */
export function dateTime(at: Instant): string {
  return `${dayOf(at)} ${clockTime(at)}`;
}

/** Day and time, to the minute, for what people have planned: `2026-01-31 12:03Z`. */
export function dateMinute(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

/** The same with what the clocks of a zone show: `2026-11-23 08:00Z (mon 2026-11-23 09:00 Europe/Berlin)`. */
export function describeTime(at: Instant, timeZone: string): string {
  const local = localTimeIn(timeZone, at);
  return `${dateMinute(at)} (${weekdayOf(local)} ${local.replace('T', ' ')} ${timeZone})`;
}
