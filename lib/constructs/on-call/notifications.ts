import { Annotations, Aspects, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import {
  type EventPattern,
  type IEventBusRef,
  Rule,
  RuleTargetInput,
} from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import type { Notifications } from '../../contract/config/notifications.ts';
import { HOLD_EVENTS, LIFECYCLE_EVENTS } from '../../contract/event.ts';
import { OVERTAKEN } from '../../domain/ending/asked-to-end.ts';
import { NOTHING_TO_DO } from '../../domain/ending/success.ts';
import { TOLD_BY_DEFAULT, type ToldEvent } from '../../domain/events/told-events.ts';
import { LIFECYCLE_SOURCE } from '../../domain/trigger/release.ts';
import { addAlarm, sumMetrics } from '../resources/alarm.ts';
import { DeadLetterQueue } from '../resources/dead-letters.ts';
import { DELIVERY_RETRIES } from '../resources/event-rule.ts';
import { NotificationTopic, USE_KEY } from './notification-topic.ts';

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

/** Where a topic finds its message in an event. */
const SENTENCE = '$.detail.message';
const FOR_CHAT = '$.detail.chat';

/** Publishes to topics what happens to rollouts, for people and for a chat, and which alarms ring. */
export class RolloutNotifications extends Construct {
  /** Gets sentences. */
  readonly topic: ITopic;
  /** Gets messages for AWS's chat integration. It exists only with `chat`. */
  readonly chatTopic: ITopic | undefined;
  /** Notifications that were not delivered. */
  readonly queue: IQueue;

  constructor(scope: Construct, id: string, props: RolloutNotificationsProps) {
    super(scope, id);
    const { name, bus, alarmsIn, emails = [], topicArn, given, chat, events } = props;
    const { queue } = new DeadLetterQueue(this, 'DeadLetters', {
      alarmGroup: 'notifications',
      alarmDescription: ALARM_DESCRIPTION,
      alarmPeriod: Duration.minutes(1),
    });
    this.queue = queue;
    const owned = { name, deadLetterQueue: queue };
    const own =
      topicArn === undefined ? new NotificationTopic(this, 'Own', { ...owned, emails }) : undefined;
    const arn = topicArn ?? own?.topic.topicArn ?? '';
    // The topic is imported by its ARN: with the topic itself, the role would get more of its key than it needs.
    this.topic = given ?? Topic.fromTopicArn(this, 'Topic', arn);
    const keys = new Set(own === undefined ? [] : [own.key]);
    if (given !== undefined) letAlarmsPublish(given);
    if (chat) {
      const ofChat = new NotificationTopic(this, 'OwnChat', { ...owned, key: own?.key });
      this.chatTopic = Topic.fromTopicArn(this, 'Chat', ofChat.topic.topicArn);
      keys.add(ofChat.key);
    }
    const pattern = patternOf(events ?? TOLD_BY_DEFAULT);
    const ruleName = `${props.ruleName}-notifications`;
    const role = this.addPublisher(ruleName, bus);
    // Nobody knows the key of a topic that is named by its ARN: it is the one under which that topic is encrypted.
    const ofNamed = topicArn !== undefined && given === undefined ? [useKey('*', topicArn)] : [];
    const uses = [...[...keys].map((key) => useKey(key.keyArn)), ...ofNamed];
    for (const use of uses) role.addToPolicy(use);
    if (uses.length > 0) {
      Validations.of(role).acknowledge({
        id: 'AwsSolutions-IAM5[Action::kms:GenerateDataKey*]',
        reason: 'SNS asks for data keys of several kinds, and its documentation for all of them.',
      });
    }
    this.addRule(ruleName, bus, pattern, role);
    for (const topic of [this.topic, this.chatTopic]) {
      if (topic !== undefined) notifyOfAlarms(topic, alarmsIn);
    }
  }

  /** The role with which this one rule publishes. As a service, EventBridge would publish for anybody's rule. */
  private addPublisher(ruleName: string, { eventBusRef }: IEventBusRef): Role {
    const { account } = Stack.of(this);
    const resourceName = `${eventBusRef.eventBusName}/${ruleName}`;
    const ruleArn = Stack.of(this).formatArn({ service: 'events', resource: 'rule', resourceName });
    return new Role(this, 'Publisher', {
      description: 'Of the rule that tells people what becomes of rollouts, alone',
      assumedBy: new ServicePrincipal('events.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          ArnEquals: { 'aws:SourceArn': ruleArn },
        },
      }),
    });
  }

  private addRule(
    ruleName: string,
    eventBus: IEventBusRef,
    eventPattern: EventPattern,
    role: IRole,
  ): void {
    const deliver = (topic: ITopic, path: string) =>
      new SnsTopic(topic, {
        role,
        message: RuleTargetInput.fromEventPath(path),
        deadLetterQueue: this.queue,
        maxEventAge: MAX_AGE,
        retryAttempts: DELIVERY_RETRIES,
      });
    const rule = new Rule(this, 'Rule', {
      ruleName,
      description: 'Tells people what becomes of rollouts',
      eventBus,
      eventPattern,
      targets: [
        deliver(this.topic, SENTENCE),
        ...(this.chatTopic === undefined ? [] : [deliver(this.chatTopic, FOR_CHAT)]),
      ],
    });
    Annotations.of(rule).acknowledgeWarning(
      '@aws-cdk/aws-events:ruleUnresolvedEnvironment',
      'A topic of yours is in the region of the stack.',
    );
    const dimensionsMap = { RuleName: ruleName, EventBusName: eventBus.eventBusRef.eventBusName };
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

/** A topic of another app has this statement already, or is told of it. */
function letAlarmsPublish(topic: ITopic): void {
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(topic).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
}

/** @param topicArn The only topic that the key may be used for. @default - any that it encrypts */
function useKey(keyArn: string, topicArn?: string): PolicyStatement {
  const of = { 'kms:EncryptionContext:aws:sns:topicArn': topicArn };
  return new PolicyStatement({
    actions: [...USE_KEY],
    resources: [keyArn],
    ...(topicArn !== undefined && { conditions: { StringEquals: of } }),
  });
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

const { started, ended } = LIFECYCLE_EVENTS;
const TYPES: Readonly<Record<ToldEvent, readonly { readonly detailType: string }[]>> = {
  ...mapEach(LIFECYCLE_EVENTS),
  ...mapEach(HOLD_EVENTS),
  'kept-out': [ended],
  'nothing-to-do': [started, ended],
};

function mapEach<Key extends string, T>(record: Readonly<Record<Key, T>>) {
  const entries = Object.entries<T>(record).map(([key, one]) => [key, [one]]);
  return Object.fromEntries(entries) as Record<Key, T[]>;
}

const IS_THERE = [{ exists: true }];
const IS_NOT_THERE = [{ exists: false }];

/** As `toldEventOf` tells events apart. Only the detail of a start has `leftOut`, and only that of an end an `outcome`. */
const DETAILS: Readonly<Partial<Record<ToldEvent, readonly object[]>>> = {
  started: [{ leftOut: IS_THERE, endpoints: [{ numeric: ['>', 0] }] }],
  ended: [
    {
      outcome: [{ 'anything-but': ['Refused'] }],
      reason: [{ 'anything-but': [OVERTAKEN, NOTHING_TO_DO] }],
    },
    { tell: [true] },
  ],
  'kept-out': [
    { outcome: ['Refused'], tell: IS_NOT_THERE },
    { outcome: IS_THERE, reason: [OVERTAKEN] },
  ],
  'nothing-to-do': [
    { leftOut: IS_THERE, endpoints: [0] },
    { outcome: IS_THERE, reason: [NOTHING_TO_DO] },
  ],
};
const OF_OTHERS = [{ leftOut: IS_NOT_THERE, outcome: IS_NOT_THERE }];

/** What a rule takes that is to be told of these events. */
function patternOf(kinds: readonly ToldEvent[]): EventPattern {
  const types = kinds.flatMap((kind) => TYPES[kind]);
  const details = kinds.flatMap((kind) => DETAILS[kind] ?? OF_OTHERS);
  return {
    source: [LIFECYCLE_SOURCE],
    detailType: [...new Set(types.map(({ detailType }) => detailType))],
    detail: { $or: [...new Set(details)] },
  };
}
