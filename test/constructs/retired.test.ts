import { describe, expect, test } from '@jest/globals';
import { CfnParameter, Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { EndpointRollouts } from '../../lib/constructs/endpoint-rollouts.ts';
import type { EndpointRolloutsProps } from '../../lib/constructs/endpoint-rollouts-props.ts';
import { readPolicies } from '../../lib/contract/functions/code-files.ts';
import { createApp } from '../support/create-app.ts';
import { createStack } from './create-stack.ts';
import { describePermissions } from './describe-permissions.ts';
import { AGENTCORE } from './everything.ts';
import { codeFilesOf } from './read-template.ts';

const REST = { endpointUrl: 'https://endpoints.example.com', runtimes: { shop: {} } };
const HERE = 'eu-central-1:123456789012';
const OLD = { awsSecret: `arn:aws:secretsmanager:${HERE}:secret:old-AbCdEf` };
const NEW = { awsSecret: `arn:aws:secretsmanager:${HERE}:secret:new-AbCdEf` };
const SMOKE = { name: 'smoke', lambda: `arn:aws:lambda:${HERE}:function:smoke` };
const ORDERS = { name: 'orders', url: 'https://checks.example.com', secret: OLD };
const ERRORS = { namespace: 'Shop', metric: 'Errors', limit: { above: 5 } };
const QUERY = { name: 'up', url: 'https://prometheus.example.com', query: 'up', above: 1 };
const TENANT = 'tenant-a1B2c3D4e5';
const bearer = (secret: typeof OLD) => ({ auth: { kind: 'bearer', secret } });
const verifying = (verify: object) => ({ policies: { default: { verify } } });

const permissionsOf = (base: object) =>
  describePermissions(createStack({ base: base as EndpointRolloutsProps })).toSorted();
/** What of these permissions is about the service, its secrets and its gates. */
const rights = (base: object) =>
  permissionsOf(base).flatMap((line) => {
    const [role = '', may = ''] = line.split(/: (.*)/s);
    const [actions = '', on = ''] = may.split(' on ');
    const own = actions.split(', ').filter((one) => /^(bedro|cloudw|lambda|secr|states)/.test(one));
    return own.flatMap((action) => on.split(', ').map((one) => `${role}: ${action} on ${one}`));
  });

describe('a deployment that takes something out and names the earlier configuration leaves its permissions as they were', () => {
  test.each<[string, object, object]>([
    [
      'a runtime of AgentCore',
      { ...AGENTCORE, runtimes: { ...AGENTCORE.runtimes, [TENANT]: {} } },
      AGENTCORE,
    ],
    [
      'a runtime with gates of its own',
      {
        ...REST,
        policies: { old: { verify: { checks: [SMOKE, ORDERS] } } },
        runtimes: { ...REST.runtimes, old: { policy: 'old' } },
      },
      REST,
    ],
    ['the last alarm', { ...REST, ...verifying({ alarms: ['shop-5xx'] }) }, REST],
    ['the last metric', { ...REST, ...verifying({ metrics: [ERRORS] }) }, REST],
    [
      'one of two checks',
      { ...REST, ...verifying({ checks: [SMOKE, ORDERS] }) },
      { ...REST, ...verifying({ checks: [ORDERS] }) },
    ],
    [
      'a check with a secret, and a query with one',
      {
        ...REST,
        ...verifying({ checks: [ORDERS], prometheus: [{ ...QUERY, ...bearer(NEW) }] }),
      },
      REST,
    ],
    [
      'the secret of the service, and an authority',
      { ...REST, ...bearer(OLD), tls: { ca: NEW } },
      REST,
    ],
  ])('%s', (_, before, after) => {
    const had = rights(before);
    expect(rights(after)).not.toEqual(had);
    expect(rights({ ...after, retired: [before] })).toEqual(had);
  });

  test('the last group, without a word in the configuration', () => {
    const groups = { prod: { runtimes: ['shop'] } };
    expect(permissionsOf(REST)).toEqual(permissionsOf({ ...REST, groups }));
  });
});

describe('nothing starts by itself with a runtime that is retired', () => {
  const retired = [
    {
      policies: { default: { pollSeconds: 21 }, 'shop-old': { bakeSeconds: 7 } },
      runtimes: { 'shop-old': { policy: 'shop-old' } },
    },
  ];
  const base = { ...REST, groups: { prod: { runtimes: ['shop*'] } }, retired };

  test('no trigger may name it, and no group has it', () => {
    const stack = createStack({ base });
    const [triggers] = codeFilesOf(stack, 'triggers.json');
    expect(triggers).toMatchObject({ rules: { runtimes: ['shop'] } });
    const schedule = { name: 'nightly', rate: '1 day', runtimeId: 'shop-old', version: 2 };
    expect(() => createStack({ base: { ...base, triggers: { schedules: [schedule] } } })).toThrow(
      /triggers\.schedules\[0\]\.runtimeId/,
    );
    const [file] = codeFilesOf(stack, 'policies.json');
    const { runtimesOf } = policiesIn(file);
    expect(runtimesOf('prod')).toEqual(['shop']);
  });

  test('what goes on has its policy, and not the one for all', () => {
    const [file] = codeFilesOf(createStack({ base }), 'policies.json');
    const { policyOf, isNamed } = policiesIn(file);
    expect(policyOf('shop-old')).toMatchObject({ bakeSeconds: 7, pollSeconds: 21 });
    expect(policyOf('shop').pollSeconds).not.toBe(21);
    expect(['shop', 'shop-old', 'other'].map(isNamed)).toEqual([true, true, false]);
  });
});

describe('refused at synthesis', () => {
  test.each<[string, object]>([
    [
      'retired\\[0\\].policies.old.pollSeconds: .*use at most progressDeadlineSeconds',
      {
        retired: [
          {
            policies: { old: { pollSeconds: 60, progressDeadlineSeconds: 30 } },
            runtimes: { old: { policy: 'old' } },
          },
        ],
      },
    ],
    [
      'retired\\[0\\].auth.secret.*use "awsSecret", not "file"',
      { retired: [{ auth: { kind: 'bearer', secret: { file: 'x' } } }] },
    ],
    [
      'retired\\[0\\].runtimes\\["group:prod"\\]: .*use the id of a runtime',
      { retired: [{ runtimes: { 'group:prod': {} } }] },
    ],
    ['retired: .*', { retired: { runtimes: {} } }],
  ])('%s', (message, props) => {
    expect(() => createStack({ base: { ...REST, ...props } as EndpointRolloutsProps })).toThrow(
      new RegExp(message, 's'),
    );
  });

  test('a runtime that AgentCore cannot have', () => {
    const retired = [{ runtimes: { old: {} } }];
    expect(() => createStack({ base: { ...AGENTCORE, retired } })).toThrow(
      /retired\[0\]\.runtimes\.old: /,
    );
  });
});

describe('objects of the CDK and texts that are not known yet', () => {
  const create = (propsIn: (stack: Stack) => object) => {
    const app = createApp({ context: { 'aws:cdk:bundling-stacks': [] } });
    const stack = new Stack(app, 'Shop');
    new EndpointRollouts(stack, 'Rollouts', { ...REST, ...propsIn(stack) } as never);
    return describePermissions(stack).join('\n');
  };

  test('are passed over where rollouts under way need nothing', () => {
    const lines = create((stack) => ({
      retired: [
        {
          ...REST,
          ...bearer(OLD),
          region: new CfnParameter(stack, 'Region').valueAsString,
          layers: [LambdaFunction.fromFunctionArn(stack, 'Layer', SMOKE.lambda)],
          retired: [{ tls: { ca: new Secret(stack, 'Older') } }],
        },
      ],
    }));
    expect(lines).toContain(`secretsmanager:GetSecretValue on ${OLD.awsSecret}`);
    expect(lines).not.toMatch(/Older/);
  });

  test('may be retired where they may be configured', () => {
    const lines = create((stack) => ({
      retired: [
        {
          policies: {
            default: {
              verify: {
                alarms: [
                  Alarm.fromAlarmArn(stack, 'A', new CfnParameter(stack, 'Arn').valueAsString),
                ],
                checks: [
                  {
                    name: 'smoke',
                    lambda: LambdaFunction.fromFunctionArn(stack, 'Smoke', SMOKE.lambda),
                  },
                ],
              },
            },
          },
          auth: { kind: 'bearer', secret: new Secret(stack, 'Old') },
        },
      ],
    }));
    expect(lines).toContain('cloudwatch:DescribeAlarms');
    expect(lines).toContain(`lambda:InvokeFunction on ${SMOKE.lambda}`);
    expect(lines).toMatch(/secretsmanager:GetSecretValue on .*Old/);
  });
});

function policiesIn(file: unknown) {
  const { endpointUrl } = REST;
  return readPolicies(file, {
    kind: 'rest',
    endpointUrl,
    auth: { kind: 'none' },
    wire: {} as never,
  });
}
