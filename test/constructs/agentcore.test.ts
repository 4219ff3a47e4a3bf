import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { agentCoreUrl } from '../../lib/adapters/services/agentcore/service-url.ts';
import { readFunctionEnv } from '../../lib/contract/functions/environment.ts';
import { AGENTCORE_CLIENT, REST_CLIENT } from './bundled-clients.ts';
import { createStack } from './create-stack.ts';
import { AGENTCORE } from './everything.ts';
import { resourcesOf } from './read-template.ts';

const CALLERS = ['create', 'list', 'openRollout', 'roll', 'look', 'turnAround', 'stop'];
const BUNDLING_MS = 60_000;

/** The bundles by the names of the functions that call the service, the others by any name. */
const bundles = new Map<string, string>();
let bundlesIn: string;

beforeAll(async () => {
  bundlesIn = await mkdtemp(join(tmpdir(), 'steproll-agentcore-'));
  const stack = createStack({ base: AGENTCORE, bundlesIn });
  const functions = Template.fromStack(stack).findResources('AWS::Lambda::Function');
  for (const [id, { Metadata }] of Object.entries(functions)) {
    const name = CALLERS.find((one) => new RegExp(`(Operations|Steps)${one}Function`).test(id));
    const file = join(bundlesIn, Metadata['aws:asset:path'], 'index.js');
    bundles.set(name ?? id, await readFile(file, 'utf8'));
  }
}, BUNDLING_MS);

afterAll(() => rm(bundlesIn, { recursive: true }));

test.each(CALLERS)('%s is bundled with the client of AgentCore and no other', (name) => {
  const bundle = bundles.get(name) ?? '';
  expect(bundle).toContain(AGENTCORE_CLIENT);
  expect(bundle).not.toContain(REST_CLIENT);
});

test('functions that do not call the service have no client of any', () => {
  const rest = [...bundles].filter(([name]) => !CALLERS.includes(name));
  expect(rest).toHaveLength(11 - CALLERS.length);
  for (const [, bundle] of rest) {
    expect(bundle).not.toContain(AGENTCORE_CLIENT);
    expect(bundle).not.toContain(REST_CLIENT);
  }
});

test('a function is told which service it calls, and its policies are those for it', () => {
  const functions = Object.entries(resourcesOf(createStack({ base: AGENTCORE }))).filter(
    ([, { Type }]) => Type === 'AWS::Lambda::Function',
  );
  const told = functions.flatMap(([, { Properties }]) => {
    const { Variables } = Properties.Environment as { Variables: Record<string, string> };
    return Variables.SERVICE === undefined ? [] : [readFunctionEnv(Variables, ['service'])];
  });
  const service = { ...AGENTCORE.service, of: 'runtime' };
  expect(told).toEqual(CALLERS.map(() => ({ service })));
});

test('a stack for harnesses says a URL of its own, so that no command takes them for runtimes', () => {
  const service = { kind: 'agentcore', of: 'harness', region: 'eu-central-1' } as const;
  const { Value } = Template.fromStack(createStack({ base: { ...AGENTCORE, service } })).toJSON()
    .Outputs.RolloutsEndpointUrl;
  expect(Value['Fn::Join'][1].at(-1)).toBe('/harnesses');
});

test('the stack says the URL that the SDK of its functions is going to use', async () => {
  const { Value } = Template.fromStack(createStack({ base: AGENTCORE })).toJSON().Outputs
    .RolloutsEndpointUrl;
  const [, parts] = Value['Fn::Join'];
  const url = parts
    .map((part: unknown) => (typeof part === 'string' ? part : 'amazonaws.com'))
    .join('');
  expect(parts.at(-1)).toEqual({ Ref: 'AWS::URLSuffix' });
  // Whoever runs the tests may have settings for AWS.
  const nowhere = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
  const environment = jest.replaceProperty(process, 'env', nowhere);
  expect(url).toBe(await agentCoreUrl('eu-central-1').finally(() => environment.restore()));
});

test('C05: without a runtime nothing is deployed, because permissions name runtimes', () => {
  expect(() => createStack({ base: { ...AGENTCORE, runtimes: {} } })).toThrow(
    /^Invalid configuration, 1 mistake:\n {2}runtimes: missing; name at least one, because on AWS .+$/,
  );
});
