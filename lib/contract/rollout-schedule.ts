import * as z from 'zod';
import { DEFAULT_CATCH_UP_SECONDS } from '../domain/trigger/catch-up.ts';
import { faultOfCron } from '../domain/trigger/cron.ts';
import { faultOfRate, faultOfTime } from '../domain/trigger/schedule-expression.ts';
import { checkAlways, exactlyOneOf } from './check-always.ts';
import { triggerNameSchema, versionFromSchema } from './release-source.ts';
import { runtimeIdSchema, versionSchema } from './rollout-input.ts';
import { textWithout } from './text-without.ts';
import { timeZoneSchema } from './time-zone.ts';

/** A rollout that starts by the clock. */
export const rolloutScheduleSchema = z
  .strictObject({
    name: triggerNameSchema.describe('Short, and unlike the other ones.'),
    runtimeId: runtimeIdSchema.describe('Id of the runtime.'),
    rate: textWithout(faultOfRate).optional().describe('"1 day".'),
    cron: textWithout(faultOfCron)
      .optional()
      .describe('"0 3 * * ? *": minutes, hours, day of month, month, day of week, year.'),
    at: textWithout(faultOfTime).optional().describe('Once: "2026-12-01T03:00:00".'),
    timeZone: timeZoneSchema.optional().describe('Of cron and at: "Europe/Berlin". Default: UTC.'),
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
        `What nothing could start at its time is made up for within so many seconds, 0: never. Default: ${DEFAULT_CATCH_UP_SECONDS}.`,
      ),
    version: versionSchema.optional().describe('The version to roll to.'),
    versionFrom: versionFromSchema
      .optional()
      .describe('Instead: the version that is live on this endpoint of the runtime.'),
  })
  .check(
    exactlyOneOf('rate', 'cron', 'at'),
    exactlyOneOf('version', 'versionFrom'),
    checkAlways((schedule, report) => {
      if (schedule.rate === undefined || schedule.timeZone === undefined) return;
      report(['timeZone'], schedule.timeZone, 'use it with cron or at: a rate has no time of day');
    }),
  );
export type RolloutSchedule = z.infer<typeof rolloutScheduleSchema>;
