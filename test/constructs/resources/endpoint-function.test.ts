import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import dynalite from 'dynalite';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { EndpointFunction } from '../../../lib/constructs/resources/endpoint-function.ts';
import { type Config, parseConfig } from '../../../lib/contract/config/config.ts';
import { writeFunctionEnv } from '../../../lib/contract/functions/environment.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { type EndpointServer, startEndpointServer } from '../../../lib/simulation/server.ts';
import { jsonLines } from '../../support/capture-output.ts';
import { createApp } from '../../support/create-app.ts';
import { startGuardedService } from '../../support/guarded-service.ts';
import { SECRET_ARN, startSecretsManager } from '../../support/secrets-manager.ts';
import { writeStepEnv } from '../../support/step-env.ts';
import { AGENTCORE_CLIENT, REST_CLIENT } from '../bundled-clients.ts';
import { config, createStack } from '../create-stack.ts';
import { codeFilesOf } from '../read-template.ts';

const FUNCTIONS = [
  'list',
  'create',
  'openRollout',
  'roll',
  'look',
  'turnAround',
  'stop',
  'closeRollout',
  'start',
  'janitor',
  'sweep',
] as const;
const STATE_MACHINE_ARN = 'arn:aws:states:eu-central-1:123456789012:stateMachine:steproll';
const LARGEST_BUNDLE_BYTES = 1_310_720;
const BUNDLING_MS = 60_000;

let outdir: string;
let server: EndpointServer;
/** Where the bundle of a function is, as it is deployed. */
const bundles = new Map<string, string>();
/** Names of its environment variables, as it is deployed. */
const variables = new Map<string, string[]>();

beforeAll(async () => {
  outdir = await mkdtemp(join(tmpdir(), 'steproll-bundles-'));
  const template = Template.fromStack(createStack({ bundlesIn: outdir }));
  for (const [id, { Metadata, Properties }] of Object.entries(
    template.findResources('AWS::Lambda::Function'),
  )) {
    const name = id.replace(
      /^Rollouts(Operations|Steps|TriggersStart|Janitor)(\w+)Function[0-9A-F]{8}$/,
      '$2',
    );
    bundles.set(name, join(outdir, Metadata['aws:asset:path'], 'index.js'));
    variables.set(name, Object.keys(Properties.Environment.Variables));
  }
  server = await startEndpointServer({
    scenario: parseScenario({ runtimes: [{ id: 'shop', version: 1, endpoints: 3 }] }),
    port: 0,
    clock: systemClock,
  });
}, BUNDLING_MS);

afterAll(async () => {
  await server.close();
  await rm(outdir, { recursive: true });
});

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

test('these are all bundles', () => {
  expect([...bundles.keys()].toSorted()).toEqual([...FUNCTIONS].toSorted());
});

test.each(FUNCTIONS)('%s is bundled into at most 1.25 MiB', async (name) => {
  const bundle = await bundleOf(name);
  expect(bundle.length).toBeGreaterThan(100_000);
  expect(bundle.length).toBeLessThanOrEqual(LARGEST_BUNDLE_BYTES);
});

test.each(['list', 'create'])('%s does without DynamoDB', async (name) => {
  expect(await bundleOf('roll')).toMatch(/DynamoDB/);
  expect(await bundleOf(name)).not.toMatch(/DynamoDB/);
});

test.each(FUNCTIONS)('%s does without the client of AgentCore', async (name) => {
  expect(await bundleOf('list')).toContain(REST_CLIENT);
  expect(await bundleOf(name)).not.toContain(AGENTCORE_CLIENT);
});

test('a bundle that calls the service leaves HTTP/2 out', async () => {
  const bundle = await bundleOf('list');
  expect(bundle).toContain('require("no-http2")');
  expect(bundle).not.toMatch(/['"](node:)?http2['"]/);
});

test('the bundle of list answers a page of a service', async () => {
  expect(await invoke('list', { runtimeId: 'shop', size: 2 })).toMatchObject({
    answer: {
      endpoints: [{ name: 'endpoint-01', liveVersion: 1 }, { name: 'endpoint-02' }],
      page: 1,
      size: 2,
      totalEndpoints: 3,
    },
  });
});

test('a bundle writes one line to the log, and the metrics', async () => {
  const { log } = await invoke('list', { runtimeId: 'shop' });
  expect(log).toEqual([
    expect.objectContaining({ _aws: expect.anything(), operation: 'list', calls: 1 }),
    expect.objectContaining({ message: 'list succeeded', runtimeId: 'shop' }),
  ]);
});

test('a bundle finds the credentials of its environment, for the secret', async () => {
  const aws = await startSecretsManager('{"clientId":"steproll","clientSecret":"sesame"}');
  const guarded = await startGuardedService({ runtimes: [{ id: 'shop', endpoints: 1 }] });
  cleanups.push(aws.close, guarded.close);
  const auth = {
    kind: 'client-credentials',
    tokenUrl: guarded.tokenUrl,
    secret: { awsSecret: SECRET_ARN },
  };
  const { service } = parseConfig({ endpointUrl: guarded.url, auth });
  const env = { ...aws.env, SERVICE: JSON.stringify(service) };
  expect(await invoke('list', { runtimeId: 'shop' }, env)).toMatchObject({
    answer: { totalEndpoints: 1 },
  });
  expect(aws.requests).toHaveLength(1);
});

test('a bundle finds the credentials of its environment, for the ledger', async () => {
  const database = dynalite({ createTableMs: 0 });
  const calls: unknown[] = [];
  database.on('request', ({ headers }) => calls.push(headers['x-amz-target']));
  database.listen(0, '127.0.0.1');
  await once(database, 'listening');
  cleanups.push(() => {
    database.close();
    database.closeAllConnections();
  });
  const { port } = database.address() as AddressInfo;
  const env = {
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  // The database is reached, and says that there is no such table.
  expect(await invoke('closeRollout', { rolloutId: 'r', state: {} }, env)).toMatchObject({
    errorType: 'LedgerUnavailable',
  });
  expect(calls).toContain('DynamoDB_20120810.Query');
});

test('the bundle of create creates an endpoint', async () => {
  expect(await invoke('create', { runtimeId: 'shop', name: 'canary' })).toMatchObject({
    answer: { name: 'canary', version: 1 },
  });
});

test.each([
  ['list', { runtimeId: '' }, 'InvalidInput'],
  ['list', { runtimeId: 'nowhere' }, 'UpstreamNotFound'],
  ['create', { runtimeId: 'shop', name: 'x', version: 0 }, 'InvalidInput'],
  ['openRollout', { rolloutId: 'r', input: {} }, 'InvalidInput'],
  ['roll', { runtimeId: 'shop' }, 'InvalidInput'],
  ['roll', { batch: { schemaVersion: 0 } }, 'IncompatibleState'],
  ['look', {}, 'IncompatibleState'],
  ['stop', { runtimeId: 'shop' }, 'InvalidInput'],
  ['closeRollout', {}, 'IncompatibleState'],
  ['start', { trigger: 'release' }, 'InvalidTrigger'],
])('%s of %j fails with the name %s, minified as it is', async (name, event, errorType) => {
  expect(await invoke(name, event)).toMatchObject({ errorType });
});

test('two stacks share a bundle and not the file beside it, which is in no other function', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steproll-stacks-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const app = createApp({ outdir: folder });
  const stackThatSays = (said: string): Stack => {
    const stack = new Stack(app, said);
    const props = { description: 'Starts', timeout: Duration.seconds(1), environment: {} };
    const file = { name: 'said.json', write: () => JSON.stringify(said) };
    new EndpointFunction(stack, 'start', { ...props, entry: 'start', file });
    new EndpointFunction(stack, 'alone', { ...props, entry: 'start' });
    return stack;
  };
  const stacks = ['one', 'other'].map(stackThatSays);

  expect(stacks.map((stack) => codeFilesOf(stack, 'said.json'))).toEqual([['one'], ['other']]);
  const assets = (await readdir(folder)).filter((name) => name.startsWith('asset.'));
  expect(assets).toHaveLength(3);
  const bundled = assets.map((name) => readFile(join(folder, name, 'index.js'), 'utf8'));
  expect(new Set(await Promise.all(bundled)).size).toBe(1);
});

async function bundleOf(name: string): Promise<string> {
  return readFile(bundles.get(name) ?? '', 'utf8');
}

/** What Lambda's runtime does with a bundle: loads it, hands it the event, reports the error's name. */
const RUNTIME = `
  const [, bundle, event] = process.argv;
  require(bundle).handler(JSON.parse(event)).then(
    (answer) => ({ answer }),
    (error) => ({ errorType: error.name, errorMessage: error.message }),
  ).then((report) => process.stdout.write(JSON.stringify(report), () => process.exit()));
`;

interface Invocation {
  readonly answer?: unknown;
  readonly errorType?: string;
  readonly errorMessage?: string;
  /** The JSON lines that were written while the function ran. */
  readonly log: readonly object[];
}

async function invoke(
  name: string,
  event: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Invocation> {
  const env = {
    ...environmentOf(name, parseConfig({ ...config, endpointUrl: server.url })),
    LAMBDA_TASK_ROOT: dirname(bundles.get(name) ?? ''),
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--eval', RUNTIME, bundles.get(name) ?? '', JSON.stringify(event)],
    { env: { ...env, AWS_REGION: 'eu-central-1', ...more } },
  );
  const lines = jsonLines(stdout);
  return { ...lines.at(-1), log: lines.slice(0, -1) };
}

/** What the deployment tells the function: the names are those of the template. */
function environmentOf(name: string, settings: Config): Record<string, string> {
  const everything: Record<string, string> = {
    ...writeStepEnv(settings),
    ...writeFunctionEnv({ stateMachineArn: STATE_MACHINE_ARN }),
  };
  const names = variables.get(name) ?? [];
  return Object.fromEntries(names.map((variable) => [variable, everything[variable] ?? '']));
}
