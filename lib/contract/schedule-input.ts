import type { RolloutSchedule } from './rollout-schedule.ts';

/**
 * What is taken as a trigger when a schedule is due.
 *
 * @param scheduledAt The time that it was due, or the placeholder of it.
 */
export function scheduleInput(schedule: RolloutSchedule, scheduledAt: string): object {
  const { name, flexibleMinutes, catchUpSeconds, runtimeId, version, versionFrom } = schedule;
  const input = { trigger: 'schedule', schedule: name, scheduledAt, runtimeId };
  return { ...input, flexibleMinutes, catchUpSeconds, version, versionFrom };
}

/** The schedule as EventBridge writes it: `cron(0 3 * * ? *)`. */
export function expressionOf({ rate, cron, at }: RolloutSchedule): string {
  if (rate !== undefined) return `rate(${rate})`;
  return cron !== undefined ? `cron(${cron})` : `at(${at})`;
}
