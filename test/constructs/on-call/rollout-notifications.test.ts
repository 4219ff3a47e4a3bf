import { describe, expect, test } from '@jest/globals';
import { Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { RolloutNotifications } from '../../../lib/constructs/on-call/notifications.ts';
import type { Notifications } from '../../../lib/contract/config/notifications.ts';
import { createApp } from '../../support/create-app.ts';

const template = templateOf({ emails: ['on-call@example.com', 'release@example.com'] });
const [bus, key, queue] = ['AWS::Events::EventBus', 'AWS::KMS::Key', 'AWS::SQS::Queue'].map(idOf);
const topic = { Ref: idOf('AWS::SNS::Topic') };
const dead = { 'Fn::GetAtt': [queue, 'Arn'] };
const ALARMS = { Service: 'cloudwatch.amazonaws.com' };

test('the sentence of the events that matter to people goes to the topic, or to the dead letters', () => {
  expect(propertiesOf('AWS::Events::Rule')).toEqual([
    {
      Name: 'shop-rollouts-notifications',
      Description: expect.any(String),
      State: 'ENABLED',
      EventBusName: { Ref: bus },
      // told-events.test.ts says which events it takes.
      EventPattern: expect.objectContaining({ source: ['steproll'] }),
      Targets: [
        {
          Id: expect.any(String),
          Arn: topic,
          InputPath: '$.detail.message',
          DeadLetterConfig: { Arn: dead },
          RetryPolicy: { MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 185 },
          RoleArn: { 'Fn::GetAtt': [idOf('AWS::IAM::Role'), 'Arn'] },
        },
      ],
    },
  ]);
});

test('each address subscribes, and what cannot be mailed goes to the dead letters too', () => {
  expect(propertiesOf('AWS::SNS::Subscription')).toEqual(
    ['on-call@example.com', 'release@example.com'].map((Endpoint) => ({
      Protocol: 'email',
      Endpoint,
      TopicArn: topic,
      RedrivePolicy: { deadLetterTargetArn: dead },
    })),
  );
});

describe('a topic of its own', () => {
  test('is encrypted with a key of its own that is rotated and goes with the stack', () => {
    expect(propertiesOf('AWS::SNS::Topic')).toEqual([
      expect.objectContaining({ KmsMasterKeyId: { 'Fn::GetAtt': [key, 'Arn'] } }),
    ]);
    template.hasResource('AWS::KMS::Key', {
      DeletionPolicy: 'Delete',
      Properties: { EnableKeyRotation: true, PendingWindowInDays: 7 },
    });
  });

  test('takes messages over TLS, from the alarms of this account', () => {
    const [policy] = propertiesOf('AWS::SNS::TopicPolicy');
    expect(statementsIn(policy?.PolicyDocument)).toEqual([
      expect.objectContaining({
        Effect: 'Deny',
        Principal: '*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
      {
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: ALARMS,
        Resource: topic,
        Condition: {
          StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
          ArnLike: { 'aws:SourceArn': arnIn('cloudwatch', ':alarm:*') },
        },
      },
    ]);
  });

  test('lets alarms use the key, for topics of this account alone', () => {
    const [properties] = propertiesOf('AWS::KMS::Key');
    const [owner, ...others] = statementsIn(properties?.KeyPolicy);
    expect(JSON.stringify(owner?.Principal)).toContain(':root');
    const useKey = {
      Effect: 'Allow',
      Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      Resource: '*',
    };
    const here = { ArnLike: { 'kms:EncryptionContext:aws:sns:topicArn': arnIn('sns', ':*') } };
    expect(others).toEqual([
      {
        ...useKey,
        Principal: ALARMS,
        Condition: {
          ...here,
          StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
        },
      },
    ]);
  });
});

describe('a topic of yours', () => {
  const topicArn = 'arn:aws:sns:eu-central-1:123456789012:on-call';
  const yours = templateOf({ topicArn });

  test('is told instead', () => {
    yours.hasResourceProperties('AWS::Events::Rule', { Targets: [{ Arn: topicArn }] });
    yours.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [topicArn] });
  });

  test('is published to by a role of this rule alone, under whatever key it has', () => {
    yours.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Resource: '*',
            Condition: { StringEquals: { 'kms:EncryptionContext:aws:sns:topicArn': topicArn } },
          }),
          Match.objectLike({ Action: 'sns:Publish', Resource: topicArn }),
        ]),
      },
    });
  });

  test('is left as it is', () => {
    for (const type of ['SNS::Topic', 'SNS::TopicPolicy', 'SNS::Subscription', 'KMS::Key']) {
      yours.resourceCountIs(`AWS::${type}`, 0);
    }
  });
});

describe('a chat', () => {
  const own = templateOf({ chat: true, emails: ['on-call@example.com'] });
  const topicsOf = (from: Template) => Object.keys(from.findResources('AWS::SNS::Topic'));
  const [forPeople = '', forChat = ''] = topicsOf(own).toSorted(
    (one, other) => Number(/Chat/.test(one)) - Number(/Chat/.test(other)),
  );

  test('has a topic of its own, with the key of the other one, to which no address subscribes', () => {
    own.resourceCountIs('AWS::SNS::Topic', 2);
    own.resourceCountIs('AWS::KMS::Key', 1);
    own.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: Match.anyValue() });
    own.allResourcesProperties('AWS::SNS::Subscription', { TopicArn: { Ref: forPeople } });
  });

  test('gets its message from the event, or the dead letters do', () => {
    own.hasResourceProperties('AWS::Events::Rule', {
      Targets: Match.arrayWith([
        Match.objectLike({
          Arn: { Ref: forChat },
          InputPath: '$.detail.chat',
          DeadLetterConfig: Match.anyValue(),
          RetryPolicy: { MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 185 },
        }),
      ]),
    });
  });

  test('hears of alarms too', () => {
    own.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [{ Ref: forPeople }, { Ref: forChat }],
    });
  });

  test('lets alarms publish, as the other topic does', () => {
    const policies = Object.values(own.findResources('AWS::SNS::TopicPolicy')).map(
      ({ Properties }) => Properties,
    );
    const [one, other] = [forPeople, forChat].map((id) => {
      const policy = policies.find(({ Topics }) => Topics[0].Ref === id);
      return JSON.stringify(statementsIn(policy?.PolicyDocument)).replaceAll(id, 'TOPIC');
    });
    expect(one).toContain('cloudwatch.amazonaws.com');
    expect(other).toBe(one);
  });

  test('has its topic also beside a topic of yours, with a key of its own', () => {
    const topicArn = 'arn:aws:sns:eu-central-1:123456789012:on-call';
    const beside = templateOf({ chat: true, topicArn });
    beside.resourceCountIs('AWS::SNS::Topic', 1);
    beside.resourceCountIs('AWS::KMS::Key', 1);
    const [id] = topicsOf(beside);
    beside.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [topicArn, { Ref: id }],
    });
  });

  test.each([{}, { chat: false }])('%j: there is none', (notifications) => {
    expect(topicsOf(templateOf(notifications))).toHaveLength(1);
  });
});

describe('alarms', () => {
  interface Alarm {
    readonly AlarmActions: unknown;
    readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: object } }[];
  }
  const alarms = propertiesOf('AWS::CloudWatch::Alarm') as unknown as Alarm[];

  test('tell the topic, those that were added later too', () => {
    expect(alarms.map(({ AlarmActions }) => AlarmActions)).toEqual([[topic], [topic], [topic]]);
  });

  test('ring when a notification could not be sent, nor kept', () => {
    const metrics = alarms.flatMap(({ Metrics = [] }) =>
      Metrics.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : [])),
    );
    const Dimensions = [
      { Name: 'EventBusName', Value: { Ref: bus } },
      { Name: 'RuleName', Value: 'shop-rollouts-notifications' },
    ];
    expect(metrics).toEqual(
      ['FailedInvocations', 'InvocationsFailedToBeSentToDlq'].map((MetricName) => ({
        Namespace: 'AWS/Events',
        MetricName,
        Dimensions,
      })),
    );
  });
});

function templateOf(notifications: Notifications): Template {
  const stack = new Stack(createApp(), 'Stack');
  const scope = new Construct(stack, 'Rollouts');
  new RolloutNotifications(scope, 'Notifications', {
    ...notifications,
    name: 'shop-rollouts',
    ruleName: 'shop-rollouts',
    bus: new EventBus(stack, 'Bus'),
    alarmsIn: scope,
  });
  const metric = new Metric({ namespace: 'late', metricName: 'm', period: Duration.minutes(1) });
  metric.createAlarm(scope, 'Late', { threshold: 1, evaluationPeriods: 1 });
  return Template.fromStack(stack);
}

function propertiesOf(type: string): Record<string, unknown>[] {
  return Object.values(template.findResources(type)).map(({ Properties }) => Properties);
}

function idOf(type: string): string {
  return Object.keys(template.findResources(type))[0] ?? '';
}

interface Statement {
  readonly Principal: unknown;
}

function statementsIn(document: unknown): readonly Statement[] {
  const { Statement } = document as { readonly Statement: readonly Statement[] };
  return Statement.map(({ Sid, ...statement }: Statement & { readonly Sid?: string }) => statement);
}

/** An ARN in the account and region of the stack. */
function arnIn(service: string, end: string): object {
  const [partition, region, account] = ['Partition', 'Region', 'AccountId'].map((name) => ({
    Ref: `AWS::${name}`,
  }));
  return { 'Fn::Join': ['', ['arn:', partition, `:${service}:`, region, ':', account, end]] };
}
