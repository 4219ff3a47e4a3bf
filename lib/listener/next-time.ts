import { Cron } from 'croner';
import type { RolloutSchedule } from '../contract/config/schedules.ts';
import { instantOf, shownAt } from '../domain/local-time.ts';

/**
 * The next time of a schedule; `null` when there is none. As with EventBridge Scheduler, a time that the clocks of
 * its zone skip does not happen, and one that they show twice happens once.
 *
 * @param after The answer is later than this. All times are in milliseconds since the Unix epoch.
 * @param startedAt The time from which a rate is counted.
 */
export function nextTime(
  schedule: RolloutSchedule,
  after: number,
  startedAt: number,
): number | null {
  const { rate, cron, at, timeZone = 'UTC' } = schedule;
  if (rate !== undefined) return nextOfRate(rate, after, startedAt);
  if (cron !== undefined) return nextOfCron(cron, timeZone, after);
  const instant = timeOf(at as string, timeZone);
  return instant !== null && instant > after ? instant : null;
}

/** The time of an `at`, in milliseconds since the Unix epoch; `null` when the clocks of its zone skip it. */
export function timeOf(at: string, timeZone = 'UTC'): number | null {
  return instantOf(Date.parse(`${at}Z`), timeZone);
}

const UNIT_MS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 24 * 3_600_000,
};

/** A rate is `1 day` or `5 minutes`, for example. */
function nextOfRate(rate: string, after: number, startedAt: number): number {
  const [amount = '', unit = ''] = rate.split(' ');
  const stepMs = Number(amount) * (UNIT_MS[unit.replace(/s$/, '')] ?? Number.NaN);
  return startedAt + (Math.floor((after - startedAt) / stepMs) + 1) * stepMs;
}

/** Matched against what the zone's clocks show, so this code decides what happens when the clocks change. */
function nextOfCron(cron: string, timeZone: string, after: number): number | null {
  const pattern = new Cron(patternOf(cron), {
    timezone: 'UTC',
    // Sunday is 1, and 5/20 means every 20, beginning with 5.
    alternativeWeekdays: true,
    sloppyRanges: true,
  });
  let shown = pattern.nextRun(new Date(shownAt(after, timeZone)));
  while (shown !== null) {
    const instant = instantOf(shown.getTime(), timeZone);
    if (instant !== null && instant > after) return instant;
    shown = pattern.nextRun(shown);
  }
  return null;
}

/** EventBridge patterns have years and no seconds, `?` for any day, and `L` for the last day of the week. */
function patternOf(cron: string): string {
  const [minute, hour, day, month, weekday, year = ''] = cron.replaceAll('?', '*').split(' ');
  const lastIsSaturday = weekday === 'L' ? '7' : weekday;
  const years = year.replaceAll('*/', '1970/');
  return `0 ${minute} ${hour} ${day} ${month} ${lastIsSaturday} ${years}`;
}
