import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type * as z from 'zod';
import { RolloutLedger } from '../../../lib/constructs/flow/ledger.ts';
import { ReleaseBus } from '../../../lib/constructs/triggers/releases.ts';
import { RolloutTriggers } from '../../../lib/constructs/triggers/triggers.ts';
import { triggersSchema } from '../../../lib/contract/config/triggers.ts';
import { parseTrigger } from '../../../lib/contract/flow/trigger-event.ts';
import type { AgentCoreResource } from '../../../lib/contract/service/services.ts';
import {
  AGENT,
  agentcoreCall,
  harnessUpdate,
  NO_UPDATES,
} from '../../contract/trigger-examples.ts';
import { createApp } from '../../support/create-app.ts';
import { takes } from '../../support/event-pattern.ts';
import { START_ONCE_ACTIONS } from '../../support/start-actions.ts';

const STATE_MACHINE = 'arn:aws:states:eu-central-1:123456789012:stateMachine:rollout';
const template = templateOf({
  accounts: ['111122223333'],
  releases: [
    {
      name: 'ecr',
      bus: 'default',
      pattern: { source: ['aws.ecr'], detail: { result: ['SUCCESS'] } },
      runtimeId: { path: 'detail.repository-name' },
      version: { path: 'detail.image-tag' },
    },
    {
      name: 'built',
      pattern: { 'detail-type': ['Built'] },
      runtimeId: 'shop',
      versionFrom: { endpoint: 'staging' },
    },
    {
      name: 'elsewhere',
      bus: 'arn:aws:events:eu-central-1:123456789012:event-bus/builds',
      pattern: { source: ['ci'] },
      runtimeId: 'shop',
      version: 3,
    },
  ],
  schedules: [
    {
      name: 'nightly',
      runtimeId: 'shop',
      cron: '0 3 * * ? *',
      versionFrom: { endpoint: 'staging' },
    },
    { name: 'hourly', group: 'prod', rate: '1 hour', version: 3, catchUpSeconds: 0 },
    {
      name: 'berlin',
      runtimeId: 'shop',
      cron: '0 3 * * ? *',
      timeZone: 'Europe/Berlin',
      version: 3,
    },
    {
      name: 'once',
      runtimeId: 'shop',
      at: '2026-12-01T03:00:00',
      version: 3,
      catchUpSeconds: 86_400,
    },
    { name: 'Group', runtimeId: 'shop', rate: '1 day', flexibleMinutes: 30, version: 3 },
  ],
});

interface Rule {
  readonly Name: string;
  readonly EventBusName?: unknown;
  readonly EventPattern?: Readonly<Record<string, readonly unknown[]>>;
  readonly Targets: readonly {
    readonly DeadLetterConfig: object;
    readonly RetryPolicy: object;
    readonly InputTransformer: { readonly InputTemplate: string };
  }[];
}

const rules = propertiesOf<Rule>('AWS::Events::Rule');
const start = { 'Fn::GetAtt': [onlyIdOf('AWS::Lambda::Function'), 'Arn'] };
const queue = { 'Fn::GetAtt': [onlyIdOf('AWS::SQS::Queue'), 'Arn'] };
const patience = (seconds: number) => ({
  MaximumEventAgeInSeconds: seconds,
  MaximumRetryAttempts: 185,
});
/** The patience of the rules, by name. */
const PATIENCE: Readonly<Record<string, object>> = {
  'steproll-schedule-nightly': patience(3600),
  // The least that EventBridge knows.
  'steproll-schedule-hourly': patience(60),
};

describe('rules', () => {
  test('these are all, with where they listen and to what', () => {
    const bus = { Ref: onlyIdOf('AWS::Events::EventBus') };
    expect(
      rules.map(({ Name, EventBusName, EventPattern }) => [Name, EventBusName, EventPattern]),
    ).toEqual([
      [
        'steproll-release-published',
        bus,
        {
          source: ['steproll.release'],
          'detail-type': ['Release Published'],
          account: [{ Ref: 'AWS::AccountId' }, '111122223333'],
        },
      ],
      ['steproll-from-ecr', 'default', { source: ['aws.ecr'], detail: { result: ['SUCCESS'] } }],
      [
        'steproll-from-built',
        bus,
        { source: [{ 'anything-but': { prefix: 'steproll' } }], 'detail-type': ['Built'] },
      ],
      ['steproll-from-elsewhere', 'builds', { source: ['ci'] }],
      ['steproll-schedule-nightly', undefined, undefined],
      ['steproll-schedule-hourly', undefined, undefined],
    ]);
  });

  test.each(rules)(
    '$Name calls the start function, until it is too late, and then gives to the queue',
    (rule) => {
      expect(rule.Targets).toEqual([
        expect.objectContaining({
          Arn: start,
          DeadLetterConfig: { Arn: queue },
          RetryPolicy: PATIENCE[rule.Name] ?? patience(900),
        }),
      ]);
    },
  );

  test('schedules without a time zone are rules', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'cron(0 3 * * ? *)',
    });
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 hour)' });
  });

  test('E11: none of them matches an event that tells of a rollout', () => {
    const patterns = [...rules, ...propertiesOf<Rule>('AWS::Events::Rule', templateOf({}))]
      .map(({ EventPattern }) => EventPattern)
      .filter((pattern) => pattern !== undefined);
    expect(patterns).toHaveLength(5);
    for (const { source = [] } of patterns) {
      expect(takes({ source }, { source: 'steproll' })).toBe(false);
    }
    // Patterns are looked at as EventBridge does.
    const others = { source: [{ 'anything-but': { prefix: 'steproll' } }] };
    expect(takes(others, { source: 'com.example' })).toBe(true);
  });

  test('each may call the start function, and nobody else from outside', () => {
    const permissions = propertiesOf<object>('AWS::Lambda::Permission');
    const ids = Object.keys(template.findResources('AWS::Events::Rule'));
    expect(permissions).toEqual(
      ids.map((id) => ({
        Action: 'lambda:InvokeFunction',
        FunctionName: start,
        Principal: 'events.amazonaws.com',
        SourceArn: { 'Fn::GetAtt': [id, 'Arn'] },
      })),
    );
  });
});

describe('rules for updates of runtimes of AgentCore', () => {
  const rulesFor = (runtimes: string[]) =>
    propertiesOf<Rule>(
      'AWS::Events::Rule',
      templateOf({ releases: [{ kind: 'agentcore' }] }, runtimes),
    )
      .slice(1)
      .map((rule) => ({ ...rule, EventPattern: ofAccount(rule.EventPattern) }));
  // The account is known when the template is deployed.
  const ofAccount = (pattern: object = {}) => ({ ...pattern, account: ['123456789012'] });
  const update = agentcoreCall('UpdateAgentRuntime');

  test('are one rule on the default bus, which takes the updates of the configured runtimes', () => {
    const [rule, ...others] = rulesFor([AGENT]);

    expect(others).toEqual([]);
    expect(rule).toMatchObject({ Name: 'steproll-from-agentcore' });
    expect(rule).not.toHaveProperty('EventBusName');
    expect(takes(rule?.EventPattern, update)).toBe(true);
    const ofAnother = { requestParameters: { agentRuntimeId: 'other-a1B2c3D4e5' } };
    expect(takes(rule?.EventPattern, agentcoreCall('UpdateAgentRuntime', ofAnother))).toBe(false);
    expect(takes(rule?.EventPattern, { ...update, account: '999999999999' })).toBe(false);
    expect(takes(rule?.EventPattern, { ...update, source: 'com.example' })).toBe(false);
  });

  test.each(NO_UPDATES)('E11: do not take %s', (_, event) => {
    for (const { EventPattern } of rulesFor([AGENT])) {
      expect(takes(EventPattern, event)).toBe(false);
    }
  });

  test('are as many as it takes for patterns of 2,048 characters, and each runtime is in one of them', () => {
    const runtimes = Array.from(
      { length: 45 },
      (_, index) => `${'r'.repeat(60)}${index}-a1B2c3D4e5`,
    );
    const many = rulesFor(runtimes);

    expect(many.map(({ Name }) => Name).slice(0, 2)).toEqual([
      'steproll-from-agentcore',
      'steproll-from-agentcore.2',
    ]);
    for (const { EventPattern } of many) {
      expect(JSON.stringify(EventPattern).length).toBeLessThanOrEqual(2048);
    }
    for (const agentRuntimeId of runtimes) {
      const event = agentcoreCall('UpdateAgentRuntime', { requestParameters: { agentRuntimeId } });
      expect(many.filter(({ EventPattern }) => takes(EventPattern, event))).toHaveLength(1);
    }
  });

  test('give the event as that of their release source, to the same function and the same queue', () => {
    const [rule] = rulesFor([AGENT]);
    const [target] = rule?.Targets ?? [];

    expect(target).toMatchObject({ DeadLetterConfig: { Arn: queue }, RetryPolicy: patience(900) });
    expect(target?.InputTransformer.InputTemplate).toBe(
      '{"trigger":"release","release":"agentcore","event":<aws.events.event.json>}',
    );
  });
});

test('rules for updates of harnesses of AgentCore take those of the configured harnesses, and none of runtimes', () => {
  const template = templateOf({ releases: [{ kind: 'agentcore' }] }, [AGENT], 'harness');
  const [rule] = propertiesOf<Rule>('AWS::Events::Rule', template).slice(1);
  // The account is known when the template is deployed.
  const pattern = { ...rule?.EventPattern, account: ['123456789012'] };

  expect(takes(pattern, harnessUpdate())).toBe(true);
  expect(
    takes(pattern, harnessUpdate({ requestParameters: { harnessId: 'other-a1B2c3D4e5' } })),
  ).toBe(false);
  expect(takes(pattern, harnessUpdate({ errorCode: 'ConflictException' }))).toBe(false);
  expect(takes(pattern, agentcoreCall('UpdateAgentRuntime'))).toBe(false);
  const roll = { requestParameters: { harnessId: AGENT, endpointName: 'prod' } };
  expect(takes(pattern, agentcoreCall('UpdateHarnessEndpoint', roll))).toBe(false);
});

describe('what the start function gets', () => {
  const EVENT = { id: 'e', time: '2026-12-01T03:00:00Z' };
  const rendered = (name: string) => {
    const rule = rules.find(({ Name }) => Name === name);
    const text = rule?.Targets[0]?.InputTransformer.InputTemplate ?? '';
    return JSON.parse(
      text
        .replace('<aws.events.event.json>', JSON.stringify({ ...EVENT, detail: {} }))
        .replace('<time>', JSON.stringify(EVENT.time)),
    );
  };

  test('of a release is the whole event, and which source it is from', () => {
    const event = { ...EVENT, detail: {} };
    expect(rendered('steproll-release-published')).toEqual({
      trigger: 'release',
      release: null,
      event,
    });
    expect(rendered('steproll-from-ecr')).toMatchObject({ release: 'ecr', event });
  });

  test('E09: of a schedule is what it is for, and when it was due', () => {
    expect(parseTrigger(rendered('steproll-schedule-nightly'), [])).toMatchObject({
      key: 'nightly 2026-12-01T03:00:00.000Z',
      runtimeId: 'shop',
      wanted: { versionFrom: { endpoint: 'staging' } },
    });
    expect(parseTrigger(rendered('steproll-schedule-hourly'), [])).toMatchObject({
      runtimeId: 'group:prod',
      wanted: { version: 3 },
    });
    for (const { Target } of propertiesOf<{ readonly Target: { readonly Input: string } }>(
      'AWS::Scheduler::Schedule',
    )) {
      const input = Target.Input.replace('<aws.scheduler.scheduled-time>', EVENT.time);
      expect(parseTrigger(JSON.parse(input), [])).toMatchObject({
        kind: 'schedule',
        at: Date.parse(EVENT.time),
        wanted: { version: 3 },
      });
    }
  });
});

describe('EventBridge Scheduler', () => {
  test('has the schedules with a time zone, a single time or a flexible window', () => {
    const role = { 'Fn::GetAtt': [expect.stringMatching(/^TriggersSchedulesZonedRole/), 'Arn'] };
    const schedule = (expression: string, zone: string, window: object, seconds: number) =>
      expect.objectContaining({
        ScheduleExpression: expression,
        ScheduleExpressionTimezone: zone,
        FlexibleTimeWindow: window,
        Target: {
          Arn: start,
          RoleArn: role,
          Input: expect.any(String),
          DeadLetterConfig: { Arn: queue },
          RetryPolicy: patience(seconds),
        },
      });
    expect(propertiesOf('AWS::Scheduler::Schedule')).toEqual([
      schedule('cron(0 3 * * ? *)', 'Europe/Berlin', { Mode: 'OFF' }, 3600),
      schedule('at(2026-12-01T03:00:00)', 'Etc/UTC', { Mode: 'OFF' }, 86_400),
      schedule('rate(1 day)', 'Etc/UTC', { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 30 }, 3600),
    ]);
  });

  test('may call the start function and give to the queue, for the schedules of this group alone', () => {
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Action: 'sts:AssumeRole',
            Effect: 'Allow',
            Principal: { Service: 'scheduler.amazonaws.com' },
            Condition: {
              StringEquals: {
                'aws:SourceAccount': { Ref: 'AWS::AccountId' },
                'aws:SourceArn': {
                  'Fn::GetAtt': [onlyIdOf('AWS::Scheduler::ScheduleGroup'), 'Arn'],
                },
              },
            },
          },
        ],
      },
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          { Action: 'lambda:InvokeFunction', Effect: 'Allow', Resource: start },
          { Action: 'sqs:SendMessage', Effect: 'Allow', Resource: queue },
        ],
      },
    });
  });

  test('is left out where no schedule needs it', () => {
    templateOf({}).resourceCountIs('AWS::Scheduler::ScheduleGroup', 0);
  });
});

test('E07: the bus takes release events of named other accounts, and nothing else', () => {
  const [policy, ...others] = propertiesOf<{ readonly Statement: object }>(
    'AWS::Events::EventBusPolicy',
  );
  expect(others).toEqual([]);
  expect(policy?.Statement).toEqual({
    Sid: expect.any(String),
    Effect: 'Allow',
    Action: 'events:PutEvents',
    Principal: { AWS: { 'Fn::Join': expect.anything() } },
    Resource: { 'Fn::GetAtt': [onlyIdOf('AWS::Events::EventBus'), 'Arn'] },
    Condition: {
      StringEquals: {
        'events:source': 'steproll.release',
        'events:detail-type': 'Release Published',
      },
    },
  });
  expect(JSON.stringify(policy)).toMatch(/:iam::111122223333:root/);
  expect(JSON.stringify(policy)).not.toContain('*');
});

test('E07: where no other account is named, none may send', () => {
  templateOf({}).resourceCountIs('AWS::Events::EventBusPolicy', 0);
});

describe('E12: a trigger that could not be delivered is kept, and an alarm rings', () => {
  test('the queue is encrypted, keeps for 14 days, and takes over TLS and from our rules alone', () => {
    template.hasResourceProperties('AWS::SQS::Queue', {
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 24 * 3600,
    });
    const ids = Object.keys(template.findResources('AWS::Events::Rule'));
    expect(ids).toHaveLength(6);
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Deny',
            Action: 'sqs:*',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            Resource: queue,
          },
          {
            Effect: 'Allow',
            Action: 'sqs:SendMessage',
            Principal: { Service: 'events.amazonaws.com' },
            Condition: {
              ArnEquals: { 'aws:SourceArn': ids.map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] })) },
            },
            Resource: queue,
          },
        ],
      },
    });
    for (const { Name } of rules) expect(Name).toMatch(/^steproll-[\w-]{1,55}$/);
  });

  test('what the start function throws is tried again and goes to the same queue', () => {
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 2,
      MaximumEventAgeInSeconds: 900,
      DestinationConfig: { OnFailure: { Destination: queue } },
    });
    template.resourceCountIs('AWS::Lambda::EventInvokeConfig', 1);
  });

  test('alarms: the queue, the function, and each rule under the dimensions that AWS counts it by', () => {
    const bus = { Ref: onlyIdOf('AWS::Events::EventBus') };
    const rule = (name: string, busName?: unknown) => ({
      RuleName: name,
      ...(busName !== undefined && { EventBusName: busName }),
    });
    expect(alarms()).toEqual([
      ['AWS/SQS ApproximateNumberOfMessagesVisible', { QueueName: expect.anything() }],
      ['AWS/Lambda Errors', { FunctionName: expect.anything() }],
      ['AWS/Events FailedInvocations', rule('steproll-release-published', bus)],
      ['AWS/Events FailedInvocations', rule('steproll-from-ecr')],
      ['AWS/Events FailedInvocations', rule('steproll-from-built', bus)],
      ['AWS/Events FailedInvocations', rule('steproll-from-elsewhere', 'builds')],
      ['AWS/Events FailedInvocations', rule('steproll-schedule-nightly')],
      ['AWS/Events FailedInvocations', rule('steproll-schedule-hourly')],
    ]);
    template.allResourcesProperties('AWS::CloudWatch::Alarm', {
      Period: 60,
      EvaluationPeriods: 15,
      DatapointsToAlarm: 1,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  });

  test('each alarm names the section of the docs that helps', () => {
    const docs = readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');
    interface Described {
      readonly AlarmDescription: string;
    }
    for (const { AlarmDescription } of propertiesOf<Described>('AWS::CloudWatch::Alarm')) {
      const [, section] = /: docs\/runbook\.md, "(.+)"$/.exec(AlarmDescription) ?? [];
      expect(docs).toContain(`\n## ${section}\n`);
    }
  });
});

function alarms(): unknown[] {
  interface Alarm {
    readonly Namespace: string;
    readonly MetricName: string;
    readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
  }
  return propertiesOf<Alarm>('AWS::CloudWatch::Alarm').map((alarm) => [
    `${alarm.Namespace} ${alarm.MetricName}`,
    Object.fromEntries(alarm.Dimensions.map(({ Name, Value }) => [Name, Value])),
  ]);
}

/** What a pattern may say of a source here: a name, or everything but a prefix. */
function templateOf(
  given: z.input<typeof triggersSchema>,
  runtimes = ['shop'],
  of: AgentCoreResource = 'runtime',
): Template {
  const { accounts, maxAgeSeconds, once, releases, schedules } = triggersSchema.parse(given);
  const stack = new Stack(createApp({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Stack');
  const { bus } = new ReleaseBus(stack, 'Releases', { name: 'steproll', otherAccounts: accounts });
  const triggers = new RolloutTriggers(stack, 'Triggers', {
    name: 'steproll',
    bus,
    of,
    runtimes,
    groups: ['prod'],
    accounts,
    maxAgeSeconds,
    once,
    stateMachineArn: STATE_MACHINE,
    table: new RolloutLedger(stack, 'Ledger').table,
  });
  for (const source of releases) triggers.addRelease(source);
  for (const schedule of schedules) triggers.addSchedule(schedule);
  return Template.fromStack(stack);
}

function propertiesOf<T>(type: string, from = template): T[] {
  return Object.values(from.findResources(type)).map(({ Properties }) => Properties);
}

function onlyIdOf(type: string): string {
  const ids = Object.keys(template.findResources(type));
  expect(ids).toHaveLength(1);
  return ids[0] ?? '';
}

test('where releases are rolled once, the start function may read and note them, and nothing else', () => {
  const start = propertiesOf<{
    readonly PolicyDocument: { readonly Statement: readonly object[] };
  }>('AWS::IAM::Policy', templateOf({ once: 'releaseId' }));
  const ofTable = start
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter((statement) => JSON.stringify(statement).includes('dynamodb:'));
  expect(ofTable).toMatchObject([
    {
      Action: START_ONCE_ACTIONS.map((action) => `dynamodb:${action}`),
      Condition: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['rollout#*', 'release#*'] },
      },
    },
  ]);
});
