import { Duration, RemovalPolicy, Stack, TimeZone } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ContextAttribute,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
  TimeWindow,
  Schedule as ZonedSchedule,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import type { RolloutSchedule } from '../contract/rollout-schedule.ts';
import { expressionOf, scheduleInput } from '../contract/schedule-input.ts';
import { DELIVERY_RETRIES, type Delivery } from './trigger-rule.ts';

/** Schedules that need what rules have not: a time zone, a single time, a flexible window. */
export class ZonedSchedules extends Construct {
  private readonly delivery: Omit<Delivery, 'maxAge'>;
  private readonly group: ScheduleGroup;
  private readonly role: IRole;

  constructor(scope: Construct, id: string, delivery: Omit<Delivery, 'maxAge'>) {
    super(scope, id);
    this.delivery = delivery;
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    // It has all it needs: left to themselves, targets would add every version of the function.
    this.role = createRole(this, this.group, delivery).withoutPolicyUpdates();
  }

  /** @param maxAge What could not be delivered for so long is not delivered. */
  add(schedule: RolloutSchedule, maxAge: Duration): void {
    const { start, queue } = this.delivery;
    new ZonedSchedule(this, `Schedule-${schedule.name}`, {
      scheduleGroup: this.group,
      schedule: ScheduleExpression.expression(
        expressionOf(schedule),
        TimeZone.of(schedule.timeZone ?? 'Etc/UTC'),
      ),
      timeWindow:
        schedule.flexibleMinutes === undefined
          ? TimeWindow.off()
          : TimeWindow.flexible(Duration.minutes(schedule.flexibleMinutes)),
      target: new LambdaInvoke(start, {
        role: this.role,
        input: ScheduleTargetInput.fromObject(
          scheduleInput(schedule, ContextAttribute.scheduledTime),
        ),
        deadLetterQueue: queue.forTargets,
        maxEventAge: maxAge,
        retryAttempts: DELIVERY_RETRIES,
      }),
    });
  }
}

function createRole(
  scope: Construct,
  group: ScheduleGroup,
  { start, queue }: Omit<Delivery, 'maxAge'>,
): Role {
  const role = new Role(scope, 'Role', {
    description: 'Of the schedules, alone',
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: {
        StringEquals: {
          'aws:SourceAccount': Stack.of(scope).account,
          'aws:SourceArn': group.scheduleGroupArn,
        },
      },
    }),
  });
  role.addToPolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [start.functionArn] }),
  );
  role.addToPolicy(
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.forTargets.queueArn] }),
  );
  return role;
}
