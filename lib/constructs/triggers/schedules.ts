import { Duration, RemovalPolicy, Stack, TimeZone } from 'aws-cdk-lib';
import { EventField, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
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
  scheduleInput,
} from '../../contract/config/schedules.ts';
import { namedRuntime } from '../../domain/rollout/group.ts';
import { catchUpSecondsOf } from '../../domain/trigger/trigger.ts';
import { DELIVERY_RETRIES, type RuleTarget, TriggerRule } from '../resources/event-rule.ts';

interface RolloutSchedulesProps extends Omit<RuleTarget, 'maxAge'> {
  /** First part of the names of the rules. */
  readonly name: string;
}

/**
 * Schedules that start rollouts. Each is a rule if that is enough, and otherwise a schedule of EventBridge Scheduler.
 */
export class RolloutSchedules extends Construct {
  private readonly props: RolloutSchedulesProps;
  /** Those that need something that rules do not have: a time zone, a single time, a flexible time window. */
  private zoned: ReturnType<typeof addZoned> | undefined;

  constructor(scope: Construct, id: string, props: RolloutSchedulesProps) {
    super(scope, id);
    this.props = props;
  }

  add(schedule: RolloutSchedule): void {
    const { name, ...delivery } = this.props;
    const { at, timeZone, flexibleMinutes } = schedule;
    // A trigger that is older than this is not delivered.
    const maxAge = Duration.seconds(catchUpSecondsOf(schedule));
    if (at === undefined && timeZone === undefined && flexibleMinutes === undefined) {
      new TriggerRule(this, `Rule-${schedule.name}`, {
        ...delivery,
        maxAge,
        rule: {
          ruleName: `${name}-schedule-${schedule.name}`,
          description: `Starts rollouts of ${namedRuntime(schedule)}`,
          schedule: Schedule.expression(expressionOf(schedule)),
        },
        input: RuleTargetInput.fromObject(scheduleInput(schedule, EventField.time)),
      });
      return;
    }
    this.zoned ??= addZoned(new Construct(this, 'Zoned'), delivery);
    const { scope, group, role } = this.zoned;
    new ZonedSchedule(scope, `Schedule-${schedule.name}`, {
      scheduleGroup: group,
      schedule: ScheduleExpression.expression(
        expressionOf(schedule),
        TimeZone.of(timeZone ?? 'Etc/UTC'),
      ),
      timeWindow:
        flexibleMinutes === undefined
          ? TimeWindow.off()
          : TimeWindow.flexible(Duration.minutes(flexibleMinutes)),
      target: new LambdaInvoke(delivery.start, {
        role,
        input: ScheduleTargetInput.fromObject(
          scheduleInput(schedule, ContextAttribute.scheduledTime),
        ),
        deadLetterQueue: delivery.queue.forTargets,
        maxEventAge: maxAge,
        retryAttempts: DELIVERY_RETRIES,
      }),
    });
  }
}

function addZoned(scope: Construct, { start, queue }: Omit<RuleTarget, 'maxAge'>) {
  const group = new ScheduleGroup(scope, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
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
  // The role is complete. Otherwise each target would add every version of the function to it.
  return { scope, group, role: role.withoutPolicyUpdates() };
}
