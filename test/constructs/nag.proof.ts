import { describe, expect, jest, test } from '@jest/globals';
import { Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { createStack } from './create-stack.ts';
import { AGENTCORE, EVERYTHING } from './everything.ts';

function agentcoreWith(count: number) {
  const ids = Array.from({ length: count }, (_, index) => `agent_${index}-a1B2c3D4e5`);
  return { ...AGENTCORE, runtimes: Object.fromEntries(ids.map((id) => [id, {}])) };
}

/** The executions of one state machine: each is named after its rollout. */
const EXECUTIONS = /^AwsSolutions-IAM5\[Resource::arn:[^ ]+:execution:\{[^ ]+\}:\*\]$/;

/** Findings whose ids hold generated names, so that no construct can acknowledge them. */
const ACCEPTED = [
  {
    // All versions of one function: executions under way call the one that they started with.
    path: 'Workflow/StateMachine/Role/DefaultPolicy/Resource',
    finding: /^AwsSolutions-IAM5\[Resource::<RolloutsSteps\w+\.Arn>:\*\]$/,
    times: 6,
  },
  {
    path: 'Janitor/janitor/Role/DefaultPolicy/Resource',
    finding: EXECUTIONS,
    times: 1,
  },
  {
    path: 'Janitor/sweep/Role/DefaultPolicy/Resource',
    finding: EXECUTIONS,
    times: 1,
  },
];

// cdk-nag reads a property of the bus's policy that the CDK calls deprecated.
jest.spyOn(console, 'warn').mockImplementation(() => undefined);

describe.each([
  ['the default configuration', undefined],
  ['everything switched on', EVERYTHING],
  ['AgentCore as the service', AGENTCORE],
  ['AgentCore with as many runtimes as roles name', agentcoreWith(100)],
  ['AgentCore with more runtimes than roles name', agentcoreWith(101)],
])('with %s', (_, base) => {
  const stack = createStack({ isValidated: true, ...(base && { base }) });

  test('the AWS Solutions and Serverless packs of cdk-nag find nothing that was not looked into', () => {
    const findings = [AwsSolutionsChecks, ServerlessChecks]
      .flatMap((Pack) => new Pack(stack).validateScope(stack).violations)
      .flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map(({ constructPath = '' }) => `${ruleName} at ${constructPath}`),
      );
    const accepted = ACCEPTED.map(({ path, finding, times }) => {
      const isIt = (line: string) => {
        const [rule = '', where] = line.split(' at Steproll/Rollouts/');
        return where === path && finding.test(rule);
      };
      const found = findings.filter(isIt);
      expect(found).toHaveLength(times);
      return found;
    });
    expect(findings.filter((line) => !accepted.flat().includes(line))).toEqual([]);
  });

  test('the own rules of the CDK find no mistake in the template', () => {
    expect(() => Template.fromStack(stack)).not.toThrow();
  });

  test('whatever is acknowledged is acknowledged on one resource, with a reason', () => {
    const acknowledged = stack.node
      .findAll()
      .flatMap((construct) =>
        construct.node.metadata
          .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
          .map(({ data }) => ({ construct, reasons: Object.values(data as object) })),
      );
    expect(acknowledged.length).toBeGreaterThan(0);
    for (const { construct, reasons } of acknowledged) {
      const isOneResource = [Role, LambdaFunction, Queue, StateMachine].some(
        (kind) => construct instanceof kind,
      );
      expect([construct.node.path, isOneResource]).toEqual([construct.node.path, true]);
      for (const reason of reasons) expect(reason).toMatch(/^.{30,}\.$/);
    }
  });
});
