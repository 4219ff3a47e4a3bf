import { Annotations, Aspects, Duration } from 'aws-cdk-lib';
import { Alarm, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type IEventBusRef, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { NOTIFIED_EVENTS, type Notifications } from '../contract/notifications.ts';
import { LIFECYCLE_SOURCE } from '../domain/trigger/event-names.ts';
import { addAlarm, sumMetrics } from './alarms.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { NotificationTopic } from './notification-topic.ts';
import { DELIVERY_RETRIES } from './trigger-rule.ts';

export interface RolloutNotificationsProps extends Notifications {
  /** First part of the name of the rule. */
  readonly name: string;
  /** Where the lifecycle events are. */
  readonly bus: IEventBusRef;
  /** The alarms below it tell the topic too, whenever they are added. */
  readonly alarmsIn: IConstruct;
}

/** News that is older helps nobody. */
const MAX_AGE = Duration.hours(1);

const ALARM_DESCRIPTION =
  'A notification was not sent: docs/runbook.md, "A notification was not sent"';

/** Tells a topic what becomes of rollouts, in a sentence for people, and when an alarm rings. */
export class RolloutNotifications extends Construct {
  readonly topic: ITopic;
  /** Notifications that were not delivered. */
  readonly queue: IQueue;

  constructor(scope: Construct, id: string, props: RolloutNotificationsProps) {
    super(scope, id);
    const { name, bus, alarmsIn, emails = [], topicArn } = props;
    const { queue } = new DeadLetterQueue(this, 'DeadLetters', {
      alarmDescription: ALARM_DESCRIPTION,
      alarmPeriod: Duration.minutes(1),
    });
    this.queue = queue;
    const arn =
      topicArn ??
      new NotificationTopic(this, 'Own', { name, emails, deadLetterQueue: queue }).topic.topicArn;
    // By its ARN: given the topic itself, the rule would add to the policies of topic and key.
    this.topic = Topic.fromTopicArn(this, 'Topic', arn);
    this.addRule(`${name}-notifications`, bus);
    tellOfAlarms(this.topic, alarmsIn);
  }

  private addRule(ruleName: string, bus: IEventBusRef): void {
    const rule = new Rule(this, 'Rule', {
      ruleName,
      description: 'Tells people what becomes of rollouts',
      eventBus: bus,
      eventPattern: { source: [LIFECYCLE_SOURCE], detailType: [...NOTIFIED_EVENTS] },
      targets: [
        new SnsTopic(this.topic, {
          message: RuleTargetInput.fromEventPath('$.detail.message'),
          deadLetterQueue: this.queue,
          maxEventAge: MAX_AGE,
          retryAttempts: DELIVERY_RETRIES,
        }),
      ],
    });
    Annotations.of(rule).acknowledgeWarning(
      '@aws-cdk/aws-events:ruleUnresolvedEnvironment',
      'A topic of yours is in the region of the stack.',
    );
    const dimensionsMap = { RuleName: ruleName, EventBusName: bus.eventBusRef.eventBusName };
    const failures = ['FailedInvocations', 'InvocationsFailedToBeSentToDlq'].map(
      (metricName) =>
        new Metric({ namespace: 'AWS/Events', metricName, dimensionsMap, statistic: Stats.SUM }),
    );
    addAlarm(this, 'Failed', {
      description: ALARM_DESCRIPTION,
      metric: sumMetrics(failures, 'Notifications not sent', Duration.minutes(1)),
    });
  }
}

/** An aspect, because triggers may add alarms until the synthesis. */
function tellOfAlarms(topic: ITopic, alarmsIn: IConstruct): void {
  const action = new SnsAction(topic);
  Aspects.of(alarmsIn).add({
    visit: (construct) => {
      if (construct instanceof Alarm) construct.addAlarmAction(action);
    },
  });
}
