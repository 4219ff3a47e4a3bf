import { Duration } from 'aws-cdk-lib';
import { EventField, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { RolloutSchedule } from '../contract/rollout-schedule.ts';
import { expressionOf, scheduleInput } from '../contract/schedule-input.ts';
import { catchUpSecondsOf } from '../domain/trigger/catch-up.ts';
import { type Delivery, TriggerRule } from './trigger-rule.ts';
import { ZonedSchedules } from './zoned-schedules.ts';

export interface RolloutSchedulesProps extends Omit<Delivery, 'maxAge'> {
  /** First part of the names of the rules. */
  readonly name: string;
}

/** Schedules that start rollouts: a rule each where that is enough, else EventBridge Scheduler. */
export class RolloutSchedules extends Construct {
  private readonly props: RolloutSchedulesProps;
  private zoned: ZonedSchedules | undefined;

  constructor(scope: Construct, id: string, props: RolloutSchedulesProps) {
    super(scope, id);
    this.props = props;
  }

  add(schedule: RolloutSchedule): void {
    const { name, ...others } = this.props;
    const delivery = { ...others, maxAge: Duration.seconds(catchUpSecondsOf(schedule)) };
    if (needsScheduler(schedule)) {
      this.zoned ??= new ZonedSchedules(this, 'Zoned', delivery);
      this.zoned.add(schedule, delivery.maxAge);
      return;
    }
    new TriggerRule(this, `Rule-${schedule.name}`, {
      ...delivery,
      rule: {
        ruleName: `${name}-schedule-${schedule.name}`,
        description: `Starts rollouts of ${schedule.runtimeId}`,
        schedule: Schedule.expression(expressionOf(schedule)),
      },
      input: RuleTargetInput.fromObject(scheduleInput(schedule, EventField.time)),
    });
  }
}

function needsScheduler({ at, timeZone, flexibleMinutes }: RolloutSchedule): boolean {
  return at !== undefined || timeZone !== undefined || flexibleMinutes !== undefined;
}
