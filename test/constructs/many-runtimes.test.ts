import { describe, expect, test } from '@jest/globals';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import type { EndpointRolloutsProps } from '../../lib/constructs/endpoint-rollouts-props.ts';
import { parseConfig } from '../../lib/contract/config/config.ts';
import {
  POLICIES_FILE,
  readPolicies,
  TRIGGERS_FILE,
} from '../../lib/contract/functions/code-files.ts';
import { createStack } from './create-stack.ts';
import { AGENTCORE, EVERYTHING } from './everything.ts';
import { codeFilesOf, type Resource, resourcesOf } from './read-template.ts';

/** Each has a policy of its own, of the same name. */
function runtimes(count: number, idOf: (index: number) => string) {
  const ids = Array.from({ length: count }, (_, index) => idOf(index));
  return {
    policies: Object.fromEntries(
      ids.map((id, index) => [
        nameOf(id),
        { bakeSeconds: index, protect: [`endpoint-of-${index}`] },
      ]),
    ),
    runtimes: Object.fromEntries(ids.map((id) => [id, { policy: nameOf(id) }])),
  };
}

/** A name is shorter than the ids of AgentCore. */
const nameOf = (id: string) => id.slice(-20);

/** An id of AgentCore that is as long as they may be. */
const longest = (index: number) => `${'r'.repeat(96)}${String(index).padStart(4, '0')}-a1B2c3D4e5`;

const MANY = runtimes(1_000, (index) => `runtime-${index}`);
/** One group takes all runtimes by a pattern, another one names each of them. */
const groupsOver = (all: object) => ({
  all: { runtimes: ['*'], policy: { maxAtRisk: 5 } },
  named: { runtimes: Object.keys(all) },
});

const agentcore = (count: number): EndpointRolloutsProps => ({
  service: { kind: 'agentcore', region: 'ap-southeast-1' },
  ...runtimes(count, longest),
  groups: groupsOver(runtimes(count, longest).runtimes),
  triggers: { releases: [{ kind: 'agentcore' }] },
});

const DEPLOYMENTS = {
  'a service with a URL': {
    ...EVERYTHING,
    policies: { ...EVERYTHING.policies, ...MANY.policies },
    runtimes: { ...EVERYTHING.runtimes, ...MANY.runtimes },
    groups: groupsOver(MANY.runtimes),
  },
  AgentCore: agentcore(1_000),
  'AgentCore, with as many runtimes as roles name': agentcore(100),
} as const;

describe.each(Object.entries(DEPLOYMENTS))('a deployment for %s and many runtimes', (_, base) => {
  const stack = createStack({ base });
  const resources = Object.values(resourcesOf(stack));
  const ofType = (type: string) => resources.filter(({ Type }) => Type === type);
  const ids = Object.keys(base.runtimes ?? {});

  test('gives two functions a file with what is known of each runtime and group', () => {
    const files = codeFilesOf(stack, POLICIES_FILE);
    expect(files).toMatchObject([
      { policies: base.policies, runtimes: expect.objectContaining(base.runtimes ?? {}) },
    ]);
    const { policyOf, runtimesOf } = readPolicies(files[0], parseConfig(base).service);
    expect(runtimesOf('all')).toEqual(ids);
    expect(runtimesOf('named')).toEqual(ids.filter((id) => id !== 'shop'));
    expect(policyOf('group:all')).toMatchObject({ maxAtRisk: 5, onFailure: 'hold' });
    const last = ids.length - 1;
    expect(policyOf(ids[last] ?? '')).toMatchObject(Object.values(base.policies ?? {})[last] ?? {});
    expect(codeFilesOf(stack, TRIGGERS_FILE)).toMatchObject([{ rules: { runtimes: ids } }]);
  });

  test('has a template that CloudFormation takes', () => {
    expect(resources.length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(resourcesOf(stack)).length).toBeLessThan(1_000_000);
  });

  test('has environments that Lambda takes', () => {
    for (const { Properties } of ofType('AWS::Lambda::Function')) {
      expect(JSON.stringify(flat(Properties.Environment)).length).toBeLessThan(4_096);
    }
  });

  test('has roles that IAM takes', () => {
    const sizes = (type: string) =>
      ofType(type).map(({ Properties }) => JSON.stringify(flat(Properties.PolicyDocument)).length);
    expect(Math.max(...sizes('AWS::IAM::Policy'))).toBeLessThanOrEqual(10_240);
    expect(Math.max(0, ...sizes('AWS::IAM::ManagedPolicy'))).toBeLessThanOrEqual(6_144);
    for (const { Properties } of ofType('AWS::IAM::Role')) {
      expect((Properties.ManagedPolicyArns as unknown[] | undefined)?.length ?? 0).toBeLessThan(10);
    }
    // No other is attached to a role by the CDK.
    for (const { Properties } of ofType('AWS::IAM::ManagedPolicy')) {
      expect(Properties).not.toHaveProperty('Roles');
    }
  });

  test('has rules that EventBridge takes, and the start function lets them all in', () => {
    const rules = ofType('AWS::Events::Rule');
    expect(
      rules.filter(({ Properties }) => Properties.EventBusName === undefined).length,
    ).toBeLessThan(300);
    for (const { Properties } of rules) {
      expect(JSON.stringify(flat(Properties.EventPattern ?? {})).length).toBeLessThanOrEqual(2_048);
    }
    // A statement of a function's policy, with the longest names, in a policy that holds 20 KB.
    const permissions = ofType('AWS::Lambda::Permission');
    expect(permissions.length * 700).toBeLessThan(20_480);
    const more = /^steproll-from-agentcore\.\d+$/;
    if (!rules.some(({ Properties }) => more.test(String(Properties.Name)))) return;
    const together = 'arn:aws:events:ap-southeast-1:123456789012:rule/steproll-from-agentcore.*';
    expect(permissions.map(({ Properties }) => flat(Properties.SourceArn))).toContain(together);
    expect(JSON.stringify(flat(ofType('AWS::SQS::QueuePolicy')))).toContain(`"${together}"`);
  });
});

describe('for AgentCore', () => {
  const WARNING = Match.stringLikeRegexp(
    '^runtimes: roles have room for the names of 100, .* 101\\.',
  );
  const grantsOf = (count: number) => {
    const stack = createStack({ base: { ...AGENTCORE, ...runtimes(count, longest) } });
    const granted = Object.values(resourcesOf(stack)).flatMap(resourcesGranted);
    const warnings = Annotations.fromStack(stack).findWarning('*', WARNING);
    return { granted: granted.filter((arn) => arn.includes(':runtime/')), warnings };
  };

  test('a hundred runtimes are named in the roles, and no other may be reached', () => {
    const { granted, warnings } = grantsOf(100);
    expect(warnings).toEqual([]);
    const named = granted.map((arn) => /:runtime\/([^/]+)/.exec(arn)?.[1]);
    expect(new Set(named)).toEqual(new Set(Array.from({ length: 100 }, (_, i) => longest(i))));
  });

  test('with one more every runtime of the account may be reached, and the deployment says so', () => {
    const { granted, warnings } = grantsOf(101);
    expect(warnings).toHaveLength(1);
    const place = 'arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/*';
    expect(new Set(granted)).toEqual(new Set([place, `${place}/runtime-endpoint/*`]));
  });
});

function resourcesGranted({ Type, Properties }: Resource): string[] {
  if (!/^AWS::IAM::(Managed)?Policy$/.test(Type)) return [];
  const { Statement } = flat(Properties.PolicyDocument) as {
    readonly Statement: readonly { readonly Resource: string | string[] }[];
  };
  return Statement.flatMap(({ Resource }) => Resource);
}

/** What CloudFormation makes of it, with names that are as long as they may be. */
function flat(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(flat);
  if (typeof value !== 'object' || value === null) return value;
  if ('Ref' in value) return REFERENCES[String(value.Ref)] ?? String(value.Ref).padEnd(64, '-');
  if ('Fn::GetAtt' in value) return String(value['Fn::GetAtt']).padEnd(160, '-');
  if ('Fn::Join' in value) return (flat(value['Fn::Join']) as [string, string[]])[1].join('');
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, flat(each)]));
}

const REFERENCES: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::AccountId': '123456789012',
  'AWS::Region': 'ap-southeast-1',
};
