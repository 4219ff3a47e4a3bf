import { expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EndpointRollouts } from '../../lib/constructs/endpoint-rollouts.ts';
import type { EndpointRolloutsProps } from '../../lib/constructs/endpoint-rollouts-props.ts';
import { PARTITION } from '../../lib/workflow/functions.ts';
import { createApp } from '../support/create-app.ts';
import { AGENTCORE, EVERYTHING } from './everything.ts';

const PARTITIONS = [
  ['aws', 'eu-central-1', 'amazonaws.com'],
  ['aws-cn', 'cn-north-1', 'amazonaws.com.cn'],
  ['aws-us-gov', 'us-gov-west-1', 'amazonaws.com'],
] as const;

test.each(PARTITIONS)(
  'in the partition %s nothing names another one',
  (partition, region, suffix) => {
    const text = deployed(inPartition(EVERYTHING, partition, region), {
      partition,
      region,
      suffix,
    });

    const named = [...text.matchAll(/arn:(aws[a-z-]*):/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set([partition]));
    expect(text).toContain(`arn:${partition}:states:::lambda:invoke`);
    expect(text).toContain(`arn:${partition}:states:::states:startExecution`);
    expect(text).toContain(`logs.${region}.${suffix}`);
    expect(text).toContain(`secretsmanager.${region}.${suffix}`);
  },
);

test.each([
  [
    'cn-north-1',
    'eu-central-1',
    ['the region of the stack: "cn-north-1" is in the partition aws-cn'],
  ],
  [
    'us-gov-west-1',
    'us-gov-west-1',
    ['service.region: "us-gov-west-1"', 'the region of the stack'],
  ],
  [undefined, 'cn-northwest-1', ['service.region: "cn-northwest-1" is in the partition aws-cn']],
])('AgentCore is refused where it is not: stack in %s, runtimes in %s', (region, its, said) => {
  const props = { ...AGENTCORE, service: { kind: 'agentcore', region: its } as const };
  const synthesize = () => stackOf(props, region);

  for (const part of said) expect(synthesize).toThrow(part);
  expect(synthesize).toThrow('there is no Amazon Bedrock AgentCore');
});

test('AgentCore is not refused in a region that nobody knew when this was written', () => {
  const props = { ...AGENTCORE, service: { kind: 'agentcore', region: 'eu-moon-1' } as const };
  expect(() => stackOf(props, 'eu-moon-1')).not.toThrow();
});

function stackOf(props: EndpointRolloutsProps, region?: string): Stack {
  const env = { account: '123456789012', ...(region !== undefined && { region }) };
  const stack = new Stack(createApp({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Shop', {
    env,
  });
  new EndpointRollouts(stack, 'Rollouts', props);
  return stack;
}

/** The same configuration, with the ARNs of another partition and region. */
function inPartition(props: EndpointRolloutsProps, partition: string, region: string) {
  const text = JSON.stringify(props).replaceAll('arn:aws:', `arn:${partition}:`);
  return JSON.parse(text.replaceAll('eu-central-1', region)) as EndpointRolloutsProps;
}

interface Place {
  readonly partition: string;
  readonly region: string;
  readonly suffix: string;
}

/** The template with everything filled in that says where it is deployed. */
function deployed(props: EndpointRolloutsProps, { partition, region, suffix }: Place): string {
  const known = { 'AWS::Partition': partition, 'AWS::URLSuffix': suffix, 'AWS::Region': region };
  const template = JSON.parse(
    JSON.stringify(Template.fromStack(stackOf(props, region)).toJSON()),
    (key, value) => {
      if (typeof value?.Ref === 'string' && Object.hasOwn(known, value.Ref)) {
        return known[value.Ref as keyof typeof known];
      }
      const [separator, parts] = value?.['Fn::Join'] ?? [];
      if (parts?.every((part: unknown) => typeof part === 'string')) return parts.join(separator);
      if (parts !== undefined) return { 'Fn::Join': [separator, joined(parts)] };
      const { DefinitionString, DefinitionSubstitutions } = value ?? {};
      return key === 'Properties' && DefinitionString !== undefined
        ? {
            ...value,
            DefinitionString: String(DefinitionString).replaceAll(
              `\${${PARTITION}}`,
              DefinitionSubstitutions.partition,
            ),
          }
        : value;
    },
  );
  return JSON.stringify(template);
}

/** Parts of a text, with neighbours that are known made one. */
function joined(parts: readonly unknown[]): unknown[] {
  const all: unknown[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part;
    else all.push(part);
  }
  return all;
}
