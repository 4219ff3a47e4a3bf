import { Duration, RemovalPolicy, Stack, TimeZone } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import type { RolloutSchedule } from '../contract/rollout-schedule.ts';
import { expressionOf, scheduleInput } from './schedule-input.ts';
import { DELIVERY_RETRIES, type Delivery } from './trigger-rule.ts';

export interface ZonedSchedulesProps extends Delivery {
  readonly schedules: readonly RolloutSchedule[];
}

/** Schedules that need what rules have not: a time zone, a single time, a flexible window. */
export class ZonedSchedules extends Construct {
  constructor(scope: Construct, id: string, { schedules, ...delivery }: ZonedSchedulesProps) {
    super(scope, id);
    const group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    const role = this.createRole(group, delivery);
    for (const schedule of schedules) {
      new Schedule(this, `Schedule-${schedule.name}`, {
        scheduleGroup: group,
        schedule: ScheduleExpression.expression(
          expressionOf(schedule),
          TimeZone.of(schedule.timeZone ?? 'Etc/UTC'),
        ),
        timeWindow:
          schedule.flexibleMinutes === undefined
            ? TimeWindow.off()
            : TimeWindow.flexible(Duration.minutes(schedule.flexibleMinutes)),
        target: new LambdaInvoke(delivery.start, {
          // The role has all it needs: left to itself, the target would add every version of the function.
          role: role.withoutPolicyUpdates(),
          input: ScheduleTargetInput.fromObject(
            scheduleInput(schedule, ContextAttribute.scheduledTime),
          ),
          deadLetterQueue: delivery.queue,
          maxEventAge: delivery.maxAge,
          retryAttempts: DELIVERY_RETRIES,
        }),
      });
    }
  }

  private createRole(group: ScheduleGroup, { start, queue }: Delivery): Role {
    const role = new Role(this, 'Role', {
      description: 'Of the schedules, alone',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': group.scheduleGroupArn,
          },
        },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [start.functionArn] }),
    );
    role.addToPolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }),
    );
    return role;
  }
}
