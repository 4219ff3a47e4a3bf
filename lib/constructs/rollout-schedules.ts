import { EventField, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { RolloutSchedule } from '../contract/rollout-schedule.ts';
import { expressionOf, scheduleInput } from './schedule-input.ts';
import { type Delivery, TriggerRule } from './trigger-rule.ts';
import { ZonedSchedules } from './zoned-schedules.ts';

export interface RolloutSchedulesProps extends Delivery {
  readonly schedules: readonly RolloutSchedule[];
}

/** Schedules that start rollouts: a rule each where that is enough, else EventBridge Scheduler. */
export class RolloutSchedules extends Construct {
  constructor(scope: Construct, id: string, { schedules, ...delivery }: RolloutSchedulesProps) {
    super(scope, id);
    for (const schedule of schedules.filter((one) => !needsScheduler(one))) {
      new TriggerRule(this, `Rule-${schedule.name}`, {
        ...delivery,
        rule: {
          ruleName: `steproll-schedule-${schedule.name}`,
          description: `Starts rollouts of ${schedule.runtimeId}`,
          schedule: Schedule.expression(expressionOf(schedule)),
        },
        input: RuleTargetInput.fromObject(scheduleInput(schedule, EventField.time)),
      });
    }
    const zoned = schedules.filter(needsScheduler);
    if (zoned.length > 0) new ZonedSchedules(this, 'Zoned', { ...delivery, schedules: zoned });
  }
}

function needsScheduler({ at, timeZone, flexibleMinutes }: RolloutSchedule): boolean {
  return at !== undefined || timeZone !== undefined || flexibleMinutes !== undefined;
}
