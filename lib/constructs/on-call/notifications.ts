import { Annotations, Aspects, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type IEventBusRef, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import type { Notifications } from '../../contract/config/notifications.ts';
import { NOTIFIED_EVENTS } from '../../contract/output/event.ts';
import { LIFECYCLE_SOURCE } from '../../domain/trigger/release.ts';
import { addAlarm, sumMetrics } from '../blocks/alarm.ts';
import { DeadLetterQueue } from '../blocks/dead-letters.ts';
import { DELIVERY_RETRIES } from '../blocks/event-rule.ts';

interface RolloutNotificationsProps extends Notifications {
  /** The topic that `topicArn` names, where it was given. Publishers are added to its policy. @default - it is imported */
  readonly given?: ITopic | undefined;
  /** The sender's name in mails. */
  readonly name: string;
  /** First part of the name of the rule. */
  readonly ruleName: string;
  /** The bus with the lifecycle events. */
  readonly bus: IEventBusRef;
  /** The alarms below this construct also publish to the topic, even those that are added later. */
  readonly alarmsIn: IConstruct;
}

/** Messages that are older than this help nobody. */
const MAX_AGE = Duration.hours(1);

const ALARM_DESCRIPTION =
  'A notification was not sent: docs/runbook.md, "A notification was not sent"';

/** Publishes to a topic what happens to rollouts, in sentences for people, and which alarms ring. */
export class RolloutNotifications extends Construct {
  readonly topic: ITopic;
  /** Notifications that were not delivered. */
  readonly queue: IQueue;

  constructor(scope: Construct, id: string, props: RolloutNotificationsProps) {
    super(scope, id);
    const { name, bus, alarmsIn, emails = [], topicArn, given } = props;
    const { queue } = new DeadLetterQueue(this, 'DeadLetters', {
      alarmGroup: 'notifications',
      alarmDescription: ALARM_DESCRIPTION,
      alarmPeriod: Duration.minutes(1),
    });
    this.queue = queue;
    const arn =
      topicArn ??
      new NotificationTopic(this, 'Own', { name, emails, deadLetterQueue: queue }).topic.topicArn;
    // The topic is imported by its ARN. With the topic itself, the rule would add statements to the policies of the
    // topic and its key.
    this.topic = given ?? Topic.fromTopicArn(this, 'Topic', arn);
    if (given !== undefined) letAlarmsPublish(given);
    this.addRule(`${props.ruleName}-notifications`, bus);
    notifyOfAlarms(this.topic, alarmsIn);
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
      group: 'notifications',
      description: ALARM_DESCRIPTION,
      metric: sumMetrics(failures, 'Notifications not sent', Duration.minutes(1)),
    });
  }
}

/** The rule adds its own permission by itself. A topic of another app has these statements already, or is told of them. */
function letAlarmsPublish(topic: ITopic): void {
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(topic).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
}

/** This is an aspect, because triggers may add alarms until the synthesis. */
function notifyOfAlarms(topic: ITopic, alarmsIn: IConstruct): void {
  const action = new SnsAction(topic);
  Aspects.of(alarmsIn).add({
    visit: (construct) => {
      if (construct instanceof Alarm) construct.addAlarmAction(action);
    },
  });
}

interface NotificationTopicProps {
  /** The sender's name that people see in the messages. */
  readonly name: string;
  /** Addresses that subscribe to the topic. */
  readonly emails: readonly string[];
  /** The queue for messages that cannot be delivered to them. */
  readonly deadLetterQueue: IQueue;
}

/**
 * A topic to which EventBridge and the alarms of this account may publish, over TLS only. It is encrypted with its
 * own key, because these services cannot use the key that AWS manages for SNS.
 */
class NotificationTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: NotificationTopicProps) {
    super(scope, id);
    const { name, emails, deadLetterQueue } = props;
    const { account } = Stack.of(this);
    const arnOf = (service: string, resource: string) =>
      Stack.of(this).formatArn({ service, resource });

    const key = new Key(this, 'Key', {
      description: 'Encrypts the notifications of rollouts',
      enableKeyRotation: true,
      // The key need not be kept, because messages are gone within hours.
      removalPolicy: RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(7),
    });
    this.topic = new Topic(this, 'Topic', {
      displayName: name,
      masterKey: key,
      enforceSSL: true,
    });
    // EventBridge does not tell topics and their keys for which rule it acts. A condition on the source would lock it
    // out.
    const events = new ServicePrincipal('events.amazonaws.com');
    const alarms = new ServicePrincipal('cloudwatch.amazonaws.com');
    const ofThisAccount = { StringEquals: { 'aws:SourceAccount': account } };
    const forTopicsHere = {
      ArnLike: { 'kms:EncryptionContext:aws:sns:topicArn': arnOf('sns', '*') },
    };
    const useKey = { actions: ['kms:Decrypt', 'kms:GenerateDataKey*'], resources: ['*'] };
    key.addToResourcePolicy(
      new PolicyStatement({ ...useKey, principals: [events], conditions: forTopicsHere }),
    );
    key.addToResourcePolicy(
      new PolicyStatement({
        ...useKey,
        principals: [alarms],
        conditions: { ...forTopicsHere, ...ofThisAccount },
      }),
    );
    const publish = { actions: ['sns:Publish'], resources: [this.topic.topicArn] };
    this.topic.addToResourcePolicy(new PolicyStatement({ ...publish, principals: [events] }));
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        ...publish,
        principals: [alarms],
        conditions: {
          ...ofThisAccount,
          ArnLike: { 'aws:SourceArn': arnOf('cloudwatch', 'alarm:*') },
        },
      }),
    );
    for (const email of emails) {
      this.topic.addSubscription(new EmailSubscription(email, { deadLetterQueue }));
    }
  }
}
