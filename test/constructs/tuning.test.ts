import { describe, expect, test } from '@jest/globals';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { LayerVersion } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EndpointRollouts } from '../../lib/constructs/endpoint-rollouts.ts';
import type { DeploymentProps } from '../../lib/constructs/endpoint-rollouts-props.ts';
import { ALARM_GROUPS } from '../../lib/constructs/resources/tuning.ts';
import { createApp } from '../support/create-app.ts';
import { EVERYTHING } from './everything.ts';

const ALL_FUNCTIONS = 11;
const LAYER = 'arn:aws:lambda:eu-central-1:123456789012:layer:otel:1';

const usual = tuned(() => ({}));
const alarmsOf = (template: Template) =>
  Object.values(template.findResources('AWS::CloudWatch::Alarm'));

describe('what can be tuned', () => {
  const template = tuned((stack) => {
    const pager = new SnsAction(
      Topic.fromTopicArn(stack, 'Pager', 'arn:aws:sns:eu-central-1:123456789012:pager'),
    );
    return {
      logRetention: RetentionDays.ONE_YEAR,
      removalPolicy: RemovalPolicy.DESTROY,
      dashboard: false,
      alarms: { groups: ['rollouts', 'janitor'], actions: [pager], okActions: [pager] },
      memorySize: 1024,
      reservedConcurrency: { roll: 5, start: 1 },
      layers: [LayerVersion.fromLayerVersionArn(stack, 'Layer', LAYER)],
      permissionsBoundary: ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', 'boundary'),
    };
  });

  test('logs', () => {
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 });
    usual.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 90 });
  });

  test('the table and its key go with the stack, and are kept otherwise', () => {
    const fateOf = (of: Template) => {
      const [table] = Object.values(of.findResources('AWS::DynamoDB::Table'));
      return [table?.DeletionPolicy, table?.Properties.DeletionProtectionEnabled];
    };
    expect(fateOf(template)).toEqual(['Delete', false]);
    expect(fateOf(usual)).toEqual(['Retain', true]);
    const keys = Object.values(template.findResources('AWS::KMS::Key'));
    expect(new Set(keys.map(({ DeletionPolicy }) => DeletionPolicy))).toEqual(new Set(['Delete']));
  });

  test('versions of functions are kept in any case', () => {
    for (const one of [template, usual]) {
      const versions = Object.values(one.findResources('AWS::Lambda::Version'));
      expect(versions.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(Array(6).fill('Retain'));
    }
  });

  test('the dashboard', () => {
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    usual.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  });

  test('groups of alarms, and what they do', () => {
    const texts = alarmsOf(template).map(({ Properties }) => Properties.AlarmDescription);
    expect(texts).toHaveLength(4);
    for (const { Properties } of alarmsOf(template)) {
      expect(JSON.stringify(Properties.AlarmActions)).toContain(':pager');
      expect(JSON.stringify(Properties.OKActions)).toContain(':pager');
    }
    for (const { Properties } of alarmsOf(usual))
      expect(Properties).not.toHaveProperty('OKActions');
  });

  test('lean alarms are the three without which nobody would know', () => {
    const texts = alarmsOf(tuned(() => ({ alarms: 'lean' }))).map(
      ({ Properties }) => Properties.AlarmDescription,
    );
    const sections = texts.map((text) => /docs\/runbook\.md, "(.+)"/.exec(text)?.[1]);
    expect(sections.toSorted()).toEqual([
      'A rollout failed',
      'A trigger started nothing',
      'The sweep does not run',
    ]);
  });

  test('every alarm belongs to one group', () => {
    const counts = ALARM_GROUPS.map(
      (group) => alarmsOf(tuned(() => ({ alarms: { groups: [group] } }))).length,
    );
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(counts.reduce((sum, count) => sum + count)).toBe(alarmsOf(usual).length);
    expect(alarmsOf(tuned(() => ({ alarms: { groups: [] } })))).toEqual([]);
  });

  test('memory, layers and concurrency', () => {
    const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
    expect(functions).toHaveLength(ALL_FUNCTIONS);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({ MemorySize: 1024, Layers: [LAYER] });
    }
    const reserved = functions.flatMap(([id, { Properties }]) => {
      const { ReservedConcurrentExecutions: most } = Properties;
      return most === undefined ? [] : [[/(roll|start)Function/.exec(id)?.[1], most]];
    });
    expect(Object.fromEntries(reserved)).toEqual({ roll: 5, start: 1 });
  });

  test('every role has the boundary', () => {
    template.allResourcesProperties('AWS::IAM::Role', {
      PermissionsBoundary: {
        'Fn::Join': [
          '',
          [
            'arn:',
            { Ref: 'AWS::Partition' },
            ':iam::',
            { Ref: 'AWS::AccountId' },
            ':policy/boundary',
          ],
        ],
      },
    });
  });
});

test.each([
  [{ memorySize: 128 }, 'memorySize: use at least 256'],
  [{ reservedConcurrency: { roll: 0 } }, 'reservedConcurrency.roll: use at least 1'],
  [{ reservedConcurrency: { rol: 1 } }, 'reservedConcurrency.rol: use one of openRollout, roll'],
  [{ removalPolicy: RemovalPolicy.SNAPSHOT }, 'removalPolicy: use RETAIN or DESTROY'],
  [{ alarms: { groups: ['rollout'] } }, 'alarms.groups: use some of rollouts'],
])('%j is refused', (props, message) => {
  expect(() => tuned(() => props as DeploymentProps)).toThrow(message);
});

describe('names', () => {
  const namesIn = (name: string) => {
    const template = tuned(() => ({ name }));
    const rules = Object.values(template.findResources('AWS::Events::Rule'));
    const [bus] = Object.values(template.findResources('AWS::Events::EventBus'));
    return {
      bus: bus?.Properties.Name,
      rules: rules.flatMap(({ Properties }) => Properties.Name ?? []).toSorted(),
    };
  };
  const rulesOf = (prefix: string) =>
    ['-from-ecr', '-notifications', '-release-published', '-schedule-hourly'].map(
      (rest) => prefix + rest,
    );

  test('one with 14 characters is in the names of rules as it is', () => {
    expect(namesIn('payments-prod1')).toEqual({
      bus: 'payments-prod1',
      rules: rulesOf('payments-prod1'),
    });
  });

  test('of a longer one they have the beginning and a hash, so that they differ', () => {
    const longest = 'payments-production-eu-central-1';
    const { bus, rules } = namesIn(longest);
    expect(bus).toBe(longest);
    const prefix = /^payment-[0-9a-f]{6}/.exec(rules[0])?.[0] ?? '';
    expect(rules).toEqual(rulesOf(prefix));
    expect(namesIn('payments-production-eu-central-2').rules).not.toEqual(rules);
  });

  test('33 characters are refused', () => {
    expect(() => namesIn('x'.repeat(33))).toThrow('use 1 to 32 letters');
  });
});

describe('two instances', () => {
  /** Each rolls runtimes of its own. */
  const instance = (stack: Stack, id: string, name?: string) =>
    new EndpointRollouts(stack, id, {
      ...EVERYTHING,
      endpointUrl: `https://${stack.stackName}-${id}.example.com`.toLowerCase(),
      ...(name !== undefined && { name }),
    });
  const app = () => createApp({ context: { 'aws:cdk:bundling-stacks': [] } });
  const here = { account: '123456789012', region: 'eu-central-1' };

  test('of one name in one stack are refused, whoever wrote the name', () => {
    const stack = new Stack(app(), 'Shop');
    instance(stack, 'One');
    expect(() => instance(stack, 'Two', 'steproll')).toThrow(
      'name: Shop/One has the same name, account and region',
    );
    expect(() => instance(stack, 'Three', 'third')).not.toThrow();
  });

  test('of one name in one account and region are refused', () => {
    const root = app();
    instance(new Stack(root, 'One', { env: here }), 'Rollouts');
    expect(() => instance(new Stack(root, 'Two', { env: here }), 'Rollouts')).toThrow(
      'One/Rollouts',
    );
  });

  test.each([
    { account: '123456789012', region: 'us-east-1' },
    { account: '210987654321', region: 'eu-central-1' },
    {},
  ])('of one name are two in another place, or in one that is not known: %j', (env) => {
    const root = app();
    instance(new Stack(root, 'One', { env: here }), 'Rollouts');
    expect(() => instance(new Stack(root, 'Two', { env }), 'Rollouts')).not.toThrow();
  });
});

function tuned(props: (stack: Stack) => DeploymentProps & { readonly name?: string }): Template {
  const stack = new Stack(createApp({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Shop');
  new EndpointRollouts(stack, 'Rollouts', { ...EVERYTHING, ...props(stack) });
  return Template.fromStack(stack);
}
