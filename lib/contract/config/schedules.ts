import * as z from 'zod';
import { faultOfCron, faultOfRate, faultOfTime } from '../../domain/trigger/schedule-syntax.ts';
import { DEFAULT_CATCH_UP_SECONDS } from '../../domain/trigger/trigger.ts';
import {
  askedVersionSchema,
  checkAlways,
  exactlyOneOf,
  nameSchema,
  runtimeIdSchema,
  textWithout,
  timeZoneSchema,
} from '../input/checks.ts';
import { triggerNameSchema, versionFromSchema } from './releases.ts';

export const rolloutScheduleSchema = z
  .strictObject({
    name: triggerNameSchema.describe('Short, and different from all other names.'),
    runtimeId: runtimeIdSchema.optional().describe('Id of the runtime.'),
    group: nameSchema.optional().describe('Instead of runtimeId: name of a group.'),
    rate: textWithout(faultOfRate).optional().describe('"1 day".'),
    cron: textWithout(faultOfCron)
      .optional()
      .describe('"0 3 * * ? *": minutes, hours, day of month, month, day of week, year.'),
    at: textWithout(faultOfTime).optional().describe('Once: "2026-12-01T03:00:00".'),
    timeZone: timeZoneSchema
      .optional()
      .describe('Time zone of cron and at: "Europe/Berlin". Default: UTC.'),
    flexibleMinutes: z
      .int()
      .min(1)
      .max(1440)
      .optional()
      .describe('It starts at some time within so many minutes. Default: at once.'),
    catchUpSeconds: z
      .int()
      .min(0)
      .max(86_400)
      .optional()
      .describe(
        `A start that was missed is made up for when it is at most so many seconds late. 0: never. Default: ${DEFAULT_CATCH_UP_SECONDS}.`,
      ),
    version: askedVersionSchema
      .optional()
      .describe('The version to roll to. "latest": the newest one that the runtime has.'),
    versionFrom: versionFromSchema
      .optional()
      .describe('Instead of version: the version that is live on this endpoint of the runtime.'),
  })
  .check(
    exactlyOneOf('runtimeId', 'group'),
    exactlyOneOf('rate', 'cron', 'at'),
    exactlyOneOf('version', 'versionFrom'),
    checkAlways((schedule, report) => {
      if (schedule.rate === undefined || schedule.timeZone === undefined) return;
      report(['timeZone'], schedule.timeZone, 'use it with cron or at: a rate has no time of day');
    }),
  );
export type RolloutSchedule = z.infer<typeof rolloutScheduleSchema>;

/** What becomes a trigger when it is due. @param scheduledAt The time at which it was due, or its placeholder. */
export function scheduleInput(schedule: RolloutSchedule, scheduledAt: string): object {
  const { name, flexibleMinutes, catchUpSeconds, runtimeId, group, version, versionFrom } =
    schedule;
  const input = { trigger: 'schedule', schedule: name, scheduledAt, runtimeId, group };
  return { ...input, flexibleMinutes, catchUpSeconds, version, versionFrom };
}

/** The schedule as EventBridge writes it: `cron(0 3 * * ? *)`. */
export function expressionOf({ rate, cron, at }: RolloutSchedule): string {
  if (rate !== undefined) return `rate(${rate})`;
  return cron !== undefined ? `cron(${cron})` : `at(${at})`;
}
