import type { RolloutSchedule } from '../contract/rollout-schedule.ts';

/**
 * What the start function gets from a schedule.
 *
 * @param scheduledAt The placeholder of the time that it was due.
 */
export function scheduleInput(schedule: RolloutSchedule, scheduledAt: string): object {
  const { name, flexibleMinutes, runtimeId, version, versionFrom } = schedule;
  const input = { trigger: 'schedule', schedule: name, scheduledAt, runtimeId };
  return { ...input, flexibleMinutes, version, versionFrom };
}

/** The schedule as EventBridge writes it: `cron(0 3 * * ? *)`. */
export function expressionOf({ rate, cron, at }: RolloutSchedule): string {
  if (rate !== undefined) return `rate(${rate})`;
  return cron !== undefined ? `cron(${cron})` : `at(${at})`;
}
