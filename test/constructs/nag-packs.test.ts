import { readFileSync } from 'node:fs';
import { expect, jest, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks } from 'cdk-nag';
import { EndpointRollouts } from '../../lib/constructs/endpoint-rollouts.ts';
import type { DeploymentProps } from '../../lib/constructs/endpoint-rollouts-props.ts';
import { createApp } from '../support/create-app.ts';
import { EVERYTHING } from './everything.ts';

// cdk-nag reads a property of the bus's policy that the CDK calls deprecated.
jest.spyOn(console, 'warn').mockImplementation(() => undefined);

/** What docs/security.md says of each rule that is left: `HIPAA.Security-…` and the like share the end of their names. */
const [, table = ''] =
  /^\| rule \| why \|.*\n.*\n((?:\|.*\n)+)/m.exec(readFileSync('docs/security.md', 'utf8')) ?? [];
const NAMED = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, rule]) => rule);

test('docs name all that the packs HIPAA, NIST and PCI of cdk-nag find, and nothing else', () => {
  expect(rulesOf({}, 'without a key')).toEqual(NAMED.toSorted());
});

test('with a key of its own the logs are no finding any more', () => {
  expect(rulesOf({})).not.toContain('CloudWatchLogGroupEncrypted');
});

test('reserved concurrency for all functions settles that finding', () => {
  const names = [
    ...['openRollout', 'roll', 'look', 'turnAround', 'stop', 'closeRollout'],
    ...['list', 'create', 'start', 'janitor', 'sweep'],
  ];
  const reservedConcurrency = Object.fromEntries(names.map((name) => [name, 10]));
  expect(rulesOf({ reservedConcurrency })).not.toContain('LambdaConcurrency');
});

/** The ends of the names of the rules that find something, each once. */
function rulesOf(props: DeploymentProps, key: 'create' | 'without a key' = 'create'): string[] {
  const { kmsKey: _, ...config } = EVERYTHING;
  const stack = new Stack(createApp({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Shop');
  const rollouts = new EndpointRollouts(stack, 'Rollouts', {
    ...config,
    ...(key === 'create' && { kmsKey: key }),
    ...props,
  });
  // Aspects give alarms their actions, and logs their key.
  Template.fromStack(stack);
  const found = [HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks].flatMap((Pack) =>
    new Pack(stack)
      .validateScope(rollouts)
      .violations.map(({ ruleName }) => ruleName.replace(/^[^-]+-(\w+).*$/s, '$1')),
  );
  return [...new Set(found)].toSorted();
}
