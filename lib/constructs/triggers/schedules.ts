import { Duration, RemovalPolicy, Stack, TimeZone } from 'aws-cdk-lib';
import { EventField, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
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
import {
  expressionOf,
  type RolloutSchedule,
  rolledBy,
  scheduleInput,
} from '../../contract/config/schedules.ts';
import { catchUpSecondsOf } from '../../domain/trigger/catch-up.ts';
import { DELIVERY_RETRIES, type Delivery, TriggerRule } from '../blocks/event-rule.ts';

/** Schedules that need something that rules do not have: a time zone, a single time, a flexible time window. */
class ZonedSchedules extends Construct {
  private readonly delivery: Omit<Delivery, 'maxAge'>;
  private readonly group: ScheduleGroup;
  private readonly role: IRole;

  constructor(scope: Construct, id: string, delivery: Omit<Delivery, 'maxAge'>) {
    super(scope, id);
    this.delivery = delivery;
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    // The role is complete. Otherwise each target would add every version of the function to it.
    this.role = createRole(this, this.group, delivery).withoutPolicyUpdates();
  }

  /** @param maxAge A trigger that is older than this is not delivered. */
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

interface RolloutSchedulesProps extends Omit<Delivery, 'maxAge'> {
  /** First part of the names of the rules. */
  readonly name: string;
}

/**
 * Schedules that start rollouts. Each is a rule if that is enough, and otherwise a schedule of EventBridge Scheduler.
 */
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
        description: `Starts rollouts of ${rolledBy(schedule)}`,
        schedule: Schedule.expression(expressionOf(schedule)),
      },
      input: RuleTargetInput.fromObject(scheduleInput(schedule, EventField.time)),
    });
  }
}

function needsScheduler({ at, timeZone, flexibleMinutes }: RolloutSchedule): boolean {
  return at !== undefined || timeZone !== undefined || flexibleMinutes !== undefined;
}
