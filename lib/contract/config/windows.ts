import * as z from 'zod';
import { WEEKDAYS } from '../../domain/local-time.ts';
import type { DeploymentWindow, Freeze } from '../../domain/rollout/policy.ts';
import { checkAlways, timeZoneSchema } from '../input/checks.ts';

// The search for the next opening goes in steps of a quarter hour.
const QUARTERS = 'on a quarter hour (:00, :15, :30 or :45)';
const CLOCK = String.raw`([01]\d|2[0-3]):(00|15|30|45)`;
const DAY_TIME = new RegExp(`^${CLOCK}$`);
const DAY_END = new RegExp(`^(${CLOCK}|24:00)$`);
const DATE_TIME = new RegExp(String.raw`^\d{4}-\d\d-\d\dT${CLOCK}$`);

const dayTimeWords = `use a time ${QUARTERS}: "09:00"`;
const dayEndWords = `use a time ${QUARTERS}, up to 24:00: "16:00"`;
const dateTimeWords = `use a date and a time ${QUARTERS}: "2026-12-18T18:00"`;

const dateTime = z
  .string(dateTimeWords)
  .regex(DATE_TIME, { error: dateTimeWords, abort: true })
  .refine(isDateTime, dateTimeWords);
const timeZone = timeZoneSchema.default('UTC').describe('"Europe/Berlin". Default: UTC.');

/** A window as it is written: what has a default may be left out. */
export interface WrittenWindow extends Pick<DeploymentWindow, 'from' | 'to'> {
  readonly days?: DeploymentWindow['days'] | undefined;
  readonly timeZone?: string | undefined;
}

export const deploymentWindowSchema: z.ZodType<DeploymentWindow, WrittenWindow> = z
  .strictObject({
    days: z
      .array(z.enum(WEEKDAYS))
      .min(1)
      .default([...WEEKDAYS])
      .describe('The days on which the window opens. Default: all seven.'),
    from: z
      .string(dayTimeWords)
      .regex(DAY_TIME, dayTimeWords)
      .describe('Local time, on a quarter hour: "09:00".'),
    to: z
      .string(dayEndWords)
      .regex(DAY_END, dayEndWords)
      .describe(
        'The first minute after the window. When it is before "from", it is on the next day.',
      ),
    timeZone,
  })
  .check(
    checkAlways(({ from, to }, report) => {
      if (typeof from !== 'string' || from !== to || !DAY_TIME.test(from)) return;
      report(['to'], to, 'use another time than from; all day is from 00:00 to 24:00');
    }),
  );

export const freezeSchema: z.ZodType<Freeze> = z
  .strictObject({
    from: dateTime.describe('Local time, on a quarter hour: "2026-12-18T18:00".'),
    to: dateTime.describe('The first minute after the freeze.'),
    timeZone,
    reason: z.string().min(1).max(256).optional().describe('Why, for people who have to wait.'),
  })
  .check(
    checkAlways(({ from, to }, report) => {
      if (!isDateTime(from) || !isDateTime(to) || from < to) return;
      report(['to'], to, `use a time after from, ${from}`);
    }),
  );

function isDateTime(value: unknown): boolean {
  if (typeof value !== 'string' || !DATE_TIME.test(value)) return false;
  const time = Date.parse(`${value}Z`);
  // JavaScript reads 30 February as 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
