import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  DescribeExecutionCommand,
  ListExecutionsCommand,
  SFNClient,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import type { Done, ToldRollout } from '../../lib/console/desk.ts';
import { type Looked, learn, lookOf, NOTHING_KNOWN } from '../../lib/console/server/looks.ts';
import { groupNameOf } from '../../lib/domain/rollout/group.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import {
  type EndpointServer,
  type RequestLine,
  startEndpointServer,
} from '../../lib/simulation/server.ts';
import { ended, saw } from '../cli/program-process.ts';
import { takeSession } from '../console/take-session.ts';
import { callAsRoot } from './call-as-root.ts';
import { createCliRole } from './cli-role.ts';
import { type Deployment, deploy } from './deploy.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { type CommandResult, runCommand, runOrThrow } from './run-command.ts';
import { takePermission } from './take-permission.ts';

const FLEETS = [
  'shop',
  'search',
  'billing',
  'orders',
  'stock',
  'nightly',
  'launched',
  'tools',
  'desk',
];

/** Runtimes that are released together, one after the other. */
const PROD = ['eu-1', 'eu-2', 'us-1'];
const SLOW = ['slow-1', 'slow-2'];
const ASIA = ['asia-1', 'asia-2'];
const HALTED = ['halted-1', 'halted-2'];

/** The time of a schedule: it is due within seconds after the deployment. */
const LAUNCH = new Date().toISOString().slice(0, 19);

const scenario = parseScenario({
  runtimes: [...FLEETS, ...PROD, ...SLOW, ...ASIA, ...HALTED].map((id) => ({
    id,
    version: 1,
    endpoints: 4,
    rollSeconds: 0.5,
  })),
  faults: [
    { runtime: 'search', endpoint: 'endpoint-02', version: 2, kind: 'stuck' },
    { runtime: 'billing', endpoint: 'endpoint-02', version: 2, kind: 'fail' },
    { runtime: 'orders', endpoint: 'endpoint-02', version: 2, kind: 'slow', rollSeconds: 600 },
    { runtime: 'stock', endpoint: 'endpoint-02', version: 2, kind: 'slow', rollSeconds: 600 },
    { runtime: 'desk', endpoint: 'endpoint-02', version: 2, kind: 'slow', rollSeconds: 600 },
    { runtime: 'slow-1', endpoint: 'endpoint-02', version: 2, kind: 'slow', rollSeconds: 600 },
    { runtime: 'halted-1', endpoint: 'endpoint-02', version: 2, kind: 'slow', rollSeconds: 600 },
    { runtime: 'eu-1', endpoint: 'endpoint-02', version: 3, kind: 'fail' },
  ],
});

const configFor = (endpointUrl: string, awsSecret: string) => ({
  name: 'steproll',
  endpointUrl,
  auth: { kind: 'bearer', secret: { awsSecret } },
  policies: {
    default: {
      waves: [{ endpoints: 1 }, { percent: 100 }],
      maxUnavailable: { percent: 100 },
      bakeSeconds: 0,
      pollSeconds: 1,
      maxPollSeconds: 5,
    },
    search: { progressDeadlineSeconds: 10 },
    billing: { onFailure: 'roll-back' },
  },
  runtimes: {
    shop: {},
    search: { policy: 'search' },
    billing: { policy: 'billing' },
    orders: {},
    stock: {},
    desk: {},
    nightly: {},
    launched: {},
    ...Object.fromEntries([...PROD, ...SLOW, ...ASIA, ...HALTED].map((id) => [id, {}])),
  },
  groups: {
    prod: { runtimes: ['eu-*', 'us-1'], policy: { pollSeconds: 1, maxPollSeconds: 5 } },
    asia: { runtimes: ['asia-*'], policy: { pollSeconds: 1, maxPollSeconds: 5 } },
    halted: { runtimes: ['halted-*'], policy: { pollSeconds: 1, maxPollSeconds: 5 } },
    slow: { runtimes: ['slow-*'], policy: { pollSeconds: 1, maxPollSeconds: 5 } },
  },
  triggers: {
    schedules: [
      { name: 'every-minute', runtimeId: 'nightly', rate: '1 minute', version: 2 },
      { name: 'launch', runtimeId: 'launched', at: LAUNCH, version: 2 },
    ],
  },
  kmsKey: 'create',
});

let emulator: Emulator;
let server: EndpointServer;
const requests: RequestLine[] = [];
let config: ReturnType<typeof configFor>;
let deployment: Deployment;
let folder: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-e2e-'));
  emulator = await startEmulator();
  Object.assign(process.env, emulator.env);
  server = await startEndpointServer({
    scenario,
    port: 0,
    clock: systemClock,
    onRequest: (line) => requests.push(line),
  });
  const { ARN = '' } = await new SecretsManagerClient({}).send(
    new CreateSecretCommand({ Name: 'steproll', SecretString: 'token' }),
  );
  config = configFor(server.url, ARN);
  deployment = await deploy(config, emulator.env, folder);
  const role = await createCliRole(deployment.outputs, folder);
  env = { ...emulator.env, ...role, STEPROLL_STATE_DIR: folder };
});

afterAll(async () => {
  await server?.close();
  await emulator?.end();
  rmSync(folder, { recursive: true, force: true });
});

test('a release event rolls a fleet, and the command line follows it', async () => {
  const announce = ['release', 'publish', 'shop', '--version', '2', '--release-id', 'build-2'];
  const announced = await runOrThrow(
    ['bin/steproll.ts', ...announce, '--engine', 'aws', '-o', 'id'],
    env,
  );
  const id = announced.trim();

  const { exitCode, stdout } = await steproll('rollout', 'watch', id, '-o', 'id');

  expect(exitCode).toBe(0);
  expect(stdout.trim()).toBe(id);
  expect(await liveVersions('shop')).toEqual([2, 2, 2, 2]);
  expect(await show(id)).toMatchObject({
    outcome: 'Succeeded',
    startedBy: { kind: 'release', name: 'build-2' },
  });
});

test('E01: the same event delivered twice is one rollout', async () => {
  const before = await executionsOf('shop');
  const delivery = releaseDelivery('shop', 2);

  const [first, second] = [await invokeStart(delivery), await invokeStart(delivery)];

  expect(second.rolloutId).toBe(first.rolloutId);
  await steproll('rollout', 'watch', first.rolloutId);
  expect(await show(first.rolloutId)).toMatchObject({ reason: 'NothingToDo' });
  const started = (await executionsOf('shop')).filter((name) => !before.includes(name));
  expect(started).toEqual([first.rolloutId]);
});

test('E02: another event for the same release is a rollout that has nothing to do', async () => {
  await release('shop', 3);
  await until(async () => (await reasonsOf('shop', 3)).includes('Converged'));
  await release('shop', 3);
  await until(async () => (await reasonsOf('shop', 3)).includes('NothingToDo'));

  const reasons = await reasonsOf('shop', 3);
  expect(reasons.filter((reason) => reason === 'Converged')).toHaveLength(1);
  expect(await liveVersions('shop')).toEqual([3, 3, 3, 3]);
});

test('an endpoint that gets stuck is stopped, and the rollout fails', async () => {
  const id = await start('search', 2);

  const { exitCode } = await steproll('rollout', 'watch', id);

  expect(exitCode).toBe(1);
  expect(await show(id)).toMatchObject({
    outcome: 'Failed',
    reason: 'Stalled',
    cleanup: 'stopped',
  });
  expect(await liveVersions('search')).toEqual([2, 1, 2, 2]);
});

test('a version that fails is rolled back', async () => {
  const id = await start('billing', 2);

  const { exitCode } = await steproll('rollout', 'watch', id);

  expect(exitCode).toBe(1);
  expect(await show(id)).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
  expect(await liveVersions('billing')).toEqual([1, 1, 1, 1]);
});

test('an abort ends a rollout at its next check', async () => {
  const id = await start('orders', 2);
  await until(async () => (await liveVersions('orders')).includes(2));

  await runOrThrow(
    [
      'bin/steproll.ts',
      'rollout',
      'abort',
      id,
      '--engine',
      'aws',
      '--reason',
      'wrong day',
      '--yes',
    ],
    env,
  );
  const { exitCode } = await steproll('rollout', 'watch', id);

  expect(exitCode).toBe(130);
  expect(await show(id)).toMatchObject({ outcome: 'Aborted', cleanup: 'none' });
});

test('the console shows, aborts and retries with the rights of whoever has started it', async () => {
  const id = await start('desk', 2);
  const args = ['bin/steproll.ts', 'console', '--engine', 'aws', '--port', '0'];
  const shown = spawn(process.execPath, args, {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  try {
    const { origin, token } = await takeSession(await saw(shown, '#code='));
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      origin,
    };
    const read = async (path: string) => (await fetch(`${origin}/api/${path}`, { headers })).json();
    const post = async (path: string, reason: string) => {
      const body = JSON.stringify({ reason });
      const answer = await fetch(`${origin}/api/rollouts/${path}`, {
        method: 'POST',
        headers,
        body,
      });
      return { status: answer.status, ...((await answer.json()) as Partial<Done>) };
    };
    const endOf = async (rolloutId: string) => {
      let story: Partial<ToldRollout> = {};
      await until(async () => {
        story = (await read(`rollouts/${rolloutId}`)) as ToldRollout;
        return story.report?.outcome != null;
      });
      return story;
    };
    await until(async () => (await liveVersions('desk')).includes(2));
    expect(lookOf(learn(NOTHING_KNOWN, (await read('look')) as Looked))).toMatchObject({
      place: expect.stringContaining('the stack Steproll on AWS, account 000000000000'),
      rollouts: expect.arrayContaining([expect.objectContaining({ rolloutId: id })]),
    });
    expect(await read(`rollouts/${id}`)).toMatchObject({
      report: { runtimeId: 'desk', version: 2 },
    });
    expect(await read('rollouts')).toMatchObject({ runtimes: expect.arrayContaining(['desk']) });
    expect(await post(`${id}/retry`, '')).toMatchObject({ status: 409 });

    expect(await post(`${id}/abort`, 'wrong day')).toMatchObject({ status: 200 });
    expect(await endOf(id)).toMatchObject({
      report: {
        outcome: 'Aborted',
        log: expect.arrayContaining([
          expect.objectContaining({ kind: 'signal', signal: 'abort', reason: 'wrong day' }),
        ]),
      },
      retry: {
        says: expect.arrayContaining(['A new rollout to version 2 starts, with the same policy.']),
      },
    });

    const twice = await Promise.all([post(`${id}/retry`, 'day 2'), post(`${id}/retry`, 'day 2')]);
    const [started, refused] = twice.toSorted((a, b) => a.status - b.status);
    expect(refused).toMatchObject({
      status: 409,
      message: expect.stringContaining(started?.rolloutId ?? 'an id'),
    });
    const again = started?.rolloutId ?? '';
    expect(await read(`rollouts/${again}`)).toMatchObject({
      report: { runtimeId: 'desk', version: 2, startedBy: { kind: 'person', reason: 'day 2' } },
    });
    await until(async () => (await post(`${again}/abort`, 'enough')).status === 200);
    expect(await endOf(again)).toMatchObject({ report: { outcome: 'Aborted' } });
  } finally {
    shown.kill('SIGINT');
    expect((await ended(shown)).code).toBe(0);
  }
});

test('A08: an execution that is stopped from outside is closed, and its runtime is free', async () => {
  const id = await start('stock', 2);
  await until(async () => (await liveVersions('stock')).includes(2));
  const execution = (await executions()).find(({ name }) => name === id);

  await new SFNClient({}).send(
    new StopExecutionCommand({ executionArn: execution?.executionArn ?? '' }),
  );
  await until(async () => (await show(id)).outcome !== null);

  expect(await show(id)).toMatchObject({ outcome: 'Aborted' });
  const next = await start('stock', 1, '--allow-downgrade');
  expect((await steproll('rollout', 'watch', next)).exitCode).toBe(0);
});

describe('a group', () => {
  test('is released runtime by runtime, each by an execution of its own', async () => {
    const id = await start('group:prod', 2);

    const { exitCode } = await steproll('rollout', 'watch', id);

    expect(exitCode).toBe(0);
    const { children } = await show(id);
    expect(children).toMatchObject(
      PROD.map((runtimeId) => ({ runtimeId, outcome: 'Succeeded', reason: 'Converged' })),
    );
    for (const [index, runtimeId] of PROD.entries()) {
      expect(await liveVersions(runtimeId)).toEqual([2, 2, 2, 2]);
      expect(await executionsOf(runtimeId)).toEqual([children?.[index]?.rolloutId]);
    }
  });

  test('loses one runtime to a version that breaks it, and the others are not rolled', async () => {
    const id = await start('group:prod', 3);

    const { exitCode } = await steproll('rollout', 'watch', id);

    expect(exitCode).toBe(1);
    expect(await show(id)).toMatchObject({
      outcome: 'Failed',
      children: [{ runtimeId: 'eu-1', outcome: 'Failed' }],
    });
    expect(await liveVersions('eu-2')).toEqual([2, 2, 2, 2]);
    expect(await liveVersions('us-1')).toEqual([2, 2, 2, 2]);
  });

  test('is released by an event that names it, once', async () => {
    const announce = ['release', 'publish', '--group', 'asia', '--version', '2'];
    const { exitCode, stdout } = await steproll(...announce, '--wait', '-o', 'id');

    expect(exitCode).toBe(0);
    expect(await show(stdout.trim())).toMatchObject({
      runtimeId: 'group:asia',
      startedBy: { kind: 'release' },
      children: ASIA.map((runtimeId) => ({ runtimeId, outcome: 'Succeeded' })),
    });
    expect(await liveVersions('asia-1')).toEqual([2, 2, 2, 2]);
    expect(await liveVersions('asia-2')).toEqual([2, 2, 2, 2]);
    expect(await executionsOf('group:asia')).toEqual([stdout.trim()]);
  });

  test('is undone by one command, in each runtime by an execution of its own', async () => {
    const id = await start('group:asia', 3);
    expect((await steproll('rollout', 'watch', id)).exitCode).toBe(0);
    expect(await liveVersions('asia-1')).toEqual([3, 3, 3, 3]);

    const revert = ['rollout', 'revert', id, '--yes', '--detach', '-o', 'id'];
    const { stdout } = await steproll(...revert);
    const { exitCode } = await steproll('rollout', 'watch', stdout.trim());

    expect(exitCode).toBe(0);
    expect(await liveVersions('asia-1')).toEqual([2, 2, 2, 2]);
    expect(await liveVersions('asia-2')).toEqual([2, 2, 2, 2]);
  });

  test('is aborted together with the rollout that it has under way', async () => {
    const id = await start('group:halted', 2);
    await until(async () => (await liveVersions('halted-1')).includes(2));

    expect(await steproll('rollout', 'abort', id, '--yes')).toMatchObject({ exitCode: 0 });
    const { exitCode } = await steproll('rollout', 'watch', id);

    expect(exitCode).toBe(130);
    const [child = ''] = await executionsOf('halted-1');
    expect((await steproll('rollout', 'watch', child)).exitCode).toBe(130);
    expect(await liveVersions('halted-2')).toEqual([1, 1, 1, 1]);
  });

  test('A08: learns from the janitor that the execution of a runtime was stopped from outside', async () => {
    const id = await start('group:slow', 2);
    await until(async () => (await liveVersions('slow-1')).includes(2));
    const [child] = await executionsOf('slow-1');
    const execution = (await executions()).find(({ name }) => name === child);

    await new SFNClient({}).send(
      new StopExecutionCommand({ executionArn: execution?.executionArn ?? '' }),
    );
    const { exitCode } = await steproll('rollout', 'watch', id);

    expect(exitCode).toBe(1);
    expect(await show(id)).toMatchObject({
      outcome: 'Failed',
      children: [{ runtimeId: 'slow-1', rolloutId: child, outcome: 'Aborted' }],
    });
    expect(await liveVersions('slow-2')).toEqual([1, 1, 1, 1]);
  });
});

test('a schedule rolls a fleet', async () => {
  await until(async () => (await liveVersions('nightly')).every((version) => version === 2));

  expect(await newestOf('nightly')).toMatchObject({
    startedBy: { kind: 'schedule', name: 'every-minute' },
  });
});

test('a schedule for a single time rolls a fleet, once', async () => {
  await until(async () => (await liveVersions('launched')).every((version) => version === 2));

  expect(await newestOf('launched')).toMatchObject({
    startedBy: { kind: 'schedule', name: 'launch' },
  });
  expect(await executionsOf('launched')).toHaveLength(1);
});

describe('a pipeline that calls the four functions by name', () => {
  const runtimeId = 'tools';

  test('lists endpoints page by page, creates one, rolls and stops', async () => {
    const page = await callOperation('List', { runtimeId, page: 2, size: 3 });
    expect(page.answer).toMatchObject({
      endpoints: [{ name: 'endpoint-04', targetVersion: 1, liveVersion: 1 }],
    });

    const created = await callOperation('Create', { runtimeId, name: 'canary', version: 1 });
    expect(created.answer).toMatchObject({ name: 'canary', targetVersion: 1 });

    const all = await callOperation('List', { runtimeId, size: 10 });
    const { endpoints } = all.answer as { endpoints: { id: string; name: string }[] };
    expect(endpoints.map(({ name }) => name).toSorted()).toEqual([
      'canary',
      'endpoint-01',
      'endpoint-02',
      'endpoint-03',
      'endpoint-04',
    ]);
    const [first = '', second = ''] = endpoints
      .filter(({ name }) => name !== 'canary')
      .map(({ id }) => id);

    const order = { runtimeId, version: 2, endpointIds: [first, second] };
    const rolled = await callOperation('Roll', order);
    expect(rolled.answer).toMatchObject([
      { endpointId: first, result: 'accepted' },
      { endpointId: second, result: 'accepted' },
    ]);
    await until(async () => (await liveVersions(runtimeId)).filter((v) => v === 2).length === 2);
    const again = await callOperation('Roll', order);
    expect(again.answer).toMatchObject([
      { endpointId: first, result: 'not-sent', reason: 'at-version' },
      { endpointId: second, result: 'not-sent', reason: 'at-version' },
    ]);

    const stopped = await callOperation('Stop', { runtimeId, endpointIds: [first] });
    expect(stopped.answer).toMatchObject([{ endpointId: first, result: 'accepted' }]);
    const after = await callOperation('List', { runtimeId, size: 10 });
    expect(after.answer).toMatchObject({
      endpoints: expect.arrayContaining([
        expect.objectContaining({ id: first, status: expect.stringMatching(/^STOP/) }),
      ]),
    });
  });

  test('is told every mistake at once, and nothing is sent', async () => {
    const before = requests.length;
    const refused = await Promise.all([
      callOperation('List', { page: 0, size: '3', filter: 'x' }),
      callOperation('Create', { runtimeId: '..', name: '', version: 0 }),
      callOperation('Roll', { runtimeId, version: '2', endpointIds: [] }),
      callOperation('Stop', { runtimeId, endpointIds: ['e-1', 'e-1'], force: true }),
      callOperation('Stop', ['e-1']),
    ]);

    expect(refused.map(({ isError }) => isError)).toEqual(refused.map(() => true));
    for (const [index, places] of [
      ['runtimeId', 'page', 'size', 'filter'],
      ['runtimeId', 'name', 'version'],
      ['version', 'endpointIds'],
      ['endpointIds', 'force'],
      ['The event must be a JSON object'],
    ].entries()) {
      for (const place of places) {
        expect(JSON.stringify(refused[index]?.answer)).toContain(place);
      }
    }
    expect(requests.slice(before).filter(({ url }) => url.includes(`/${runtimeId}/`))).toEqual([]);
  });

  test('is told in its row which endpoint is not there, and of a runtime that is not', async () => {
    const endpointIds = ['no-such-endpoint'];
    const rolled = await callOperation('Roll', { runtimeId, version: 2, endpointIds });
    expect(rolled.answer).toMatchObject([
      { endpointId: 'no-such-endpoint', result: 'not-sent', reason: 'UpstreamNotFound' },
    ]);
    const stopped = await callOperation('Stop', { runtimeId, endpointIds });
    expect(stopped.answer).toMatchObject([
      { endpointId: 'no-such-endpoint', result: 'rejected', reason: 'UpstreamNotFound' },
    ]);
    const listed = await callOperation('List', { runtimeId: 'no-such-runtime' });
    expect(listed).toMatchObject({
      isError: true,
      answer: { errorMessage: expect.stringContaining('404') },
    });
  });
});

test('the command line may look at no other stack than its docs say', async () => {
  const { exitCode, stderr } = await steproll('rollout', 'list', '--stack', 'CDKToolkit');

  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/not authorized to perform: cloudformation:DescribeStacks/);
});

test('E12: a release that may not be started any more waits in the dead-letter queue', async () => {
  const taken = await takePermission('RolloutsTriggersStart', 'states:StartExecution');
  try {
    await callStart(releaseDelivery('shop', 4), 'Event');
    await until(async () => (await deadLetters()).length > 0);
  } finally {
    await taken.destroy();
  }

  const [letter] = await deadLetters();

  expect(letter).toMatchObject({
    requestPayload: { event: { detail: { runtimeId: 'shop', version: 4 } } },
    responsePayload: {
      errorMessage: expect.stringMatching(/not authorized to perform: states:StartExecution/),
    },
  });
  expect(await liveVersions('shop')).not.toContain(4);
});

test('A11: a deploy leaves a rollout that is under way alone', async () => {
  const id = await start('orders', 3);
  const { policies } = config;
  await deployment.update({
    ...config,
    policies: { ...policies, default: { ...policies.default, bakeSeconds: 1 } },
  });

  const { exitCode } = await steproll('rollout', 'watch', id);

  expect(exitCode).toBe(0);
});

test('what was deployed is taken down, and the ledger and its key stay', async () => {
  await deployment.destroy();

  const describing = new CloudFormationClient({}).send(
    new DescribeStacksCommand({ StackName: 'Steproll' }),
  );
  await expect(describing).rejects.toThrow(/does not exist/);
  const { RolloutsTableName: TableName, RolloutsKeyArn: KeyArn } = deployment.outputs;
  const { Table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName }));
  expect(Table).toMatchObject({ TableName, TableStatus: 'ACTIVE' });
  expect(await describeKey(KeyArn)).toMatchObject({ Arn: KeyArn, KeyState: 'Enabled' });
});

/** What the pages of the console are told first. */
async function release(runtimeId: string, version: number): Promise<void> {
  const detail = { runtimeId, version, releaseId: `build-${version}` };
  const { FailedEntryCount } = await new EventBridgeClient({}).send(
    new PutEventsCommand({
      Entries: [
        {
          EventBusName: deployment.outputs.RolloutsEventBusName ?? '',
          Source: 'steproll.release',
          DetailType: 'Release Published',
          Detail: JSON.stringify(detail),
        },
      ],
    }),
  );
  expect(FailedEntryCount).toBe(0);
}

/** What the rule hands to the start function. */
function releaseDelivery(runtimeId: string, version: number): object {
  const event = {
    id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
    // EventBridge gives whole seconds.
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    source: 'steproll.release',
    'detail-type': 'Release Published',
    detail: { runtimeId, version, releaseId: 'delivered-twice' },
  };
  return { trigger: 'release', release: null, event };
}

async function invokeStart(delivery: object): Promise<{ readonly rolloutId: string }> {
  const answer = await callStart(delivery, 'RequestResponse');
  return (await answer.json()) as { rolloutId: string };
}

function callStart(delivery: object, type: 'Event' | 'RequestResponse'): Promise<Response> {
  return callFunction('Start', delivery, type);
}

/** Waits for the answer of one of the operations, or its error. */
async function callOperation(
  operation: 'List' | 'Create' | 'Roll' | 'Stop',
  payload: object,
): Promise<{ readonly isError: boolean; readonly answer: unknown }> {
  const answer = await callFunction(operation, payload, 'RequestResponse');
  const isError = answer.headers.get('x-amz-function-error') !== null;
  return { isError, answer: await answer.json() };
}

function callFunction(
  name: 'Start' | 'List' | 'Create' | 'Roll' | 'Stop',
  payload: object,
  type: 'Event' | 'RequestResponse',
): Promise<Response> {
  const functionName = deployment.outputs[`Rollouts${name}FunctionName`] ?? '';
  const url = `${emulator.env.AWS_ENDPOINT_URL}/2015-03-31/functions/${functionName}/invocations`;
  return callAsRoot('lambda', url, payload, { 'x-amz-invocation-type': type });
}

/** What is in the dead-letter queue of the triggers; it stays there. */
async function deadLetters(): Promise<object[]> {
  const QueueUrl = deployment.outputs.RolloutsTriggersQueueUrl ?? '';
  const answer = await callAsRoot(
    'sqs',
    emulator.env.AWS_ENDPOINT_URL ?? '',
    { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 },
    { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
  );
  const { Messages = [] } = (await answer.json()) as { Messages?: { Body: string }[] };
  return Messages.map(({ Body }) => JSON.parse(Body));
}

/** Starts a rollout of a runtime or a group on AWS and answers its id. */
async function start(runtimeId: string, version: number, ...more: string[]): Promise<string> {
  const group = groupNameOf(runtimeId);
  const what = group === null ? [runtimeId] : ['--group', group];
  const args = ['rollout', 'start', ...what, '--version', `${version}`, '--yes', '--detach'];
  const stdout = await runOrThrow(
    ['bin/steproll.ts', ...args, ...more, '--engine', 'aws', '-o', 'id'],
    env,
  );
  return stdout.trim();
}

function steproll(...args: readonly string[]): Promise<CommandResult> {
  return runCommand(['bin/steproll.ts', ...args, '--engine', 'aws'], env);
}

interface Shown {
  readonly rolloutId: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly version: number;
  readonly children?: readonly { readonly runtimeId: string; readonly rolloutId: string }[];
}

async function show(rolloutId: string): Promise<Shown> {
  const { stdout } = await steproll('rollout', 'show', rolloutId, '-o', 'json');
  return JSON.parse(stdout);
}

/** The newest rollout of a runtime, as soon as it is in the ledger. */
async function newestOf(runtimeId: string): Promise<Shown> {
  let found: readonly Shown[] = [];
  await until(async () => {
    found = await rolloutsOf(runtimeId, 2);
    return found.length > 0;
  });
  return found[0] as Shown;
}

/**
 * Why the rollouts of a runtime to this version ended as they did. There may be one more than there were events: an
 * event is put again when the answer is lost, and is then another one. Only one of them rolls anything.
 */
async function reasonsOf(runtimeId: string, version: number): Promise<(string | null)[]> {
  return (await rolloutsOf(runtimeId, version)).map(({ reason }) => reason);
}

async function rolloutsOf(runtimeId: string, version: number): Promise<readonly Shown[]> {
  const { stdout } = await steproll('rollout', 'list', runtimeId, '-o', 'json');
  return (JSON.parse(stdout) as Shown[]).filter((each) => each.version === version);
}

/** The names of the executions for a runtime: a schedule may start others at any time. */
async function executionsOf(runtimeId: string): Promise<string[]> {
  const client = new SFNClient({});
  const all = await Promise.all(
    (await executions()).map(({ executionArn }) =>
      client.send(new DescribeExecutionCommand({ executionArn })),
    ),
  );
  return all
    .filter(({ input = '' }) => JSON.parse(input).runtimeId === runtimeId)
    .map(({ name = '' }) => name);
}

async function describeKey(KeyId: string | undefined): Promise<object> {
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'TrentService.DescribeKey',
  };
  const answer = await callAsRoot('kms', emulator.env.AWS_ENDPOINT_URL ?? '', { KeyId }, headers);
  return ((await answer.json()) as { KeyMetadata: object }).KeyMetadata;
}

async function executions() {
  const { executions = [] } = await new SFNClient({}).send(
    new ListExecutionsCommand({
      stateMachineArn: deployment.outputs.RolloutsStateMachineArn ?? '',
    }),
  );
  return executions;
}

async function liveVersions(runtimeId: string): Promise<(number | null)[]> {
  const url = `${server.url}/agent-runtimes/${runtimeId}/endpoints?page=1&size=100`;
  const { listData } = (await (await fetch(url)).json()) as {
    listData: { name: string; liveVersion: number | null }[];
  };
  return listData
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ liveVersion }) => liveVersion);
}

async function until(isSo: () => Promise<boolean>, seconds = 600): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`It is not so after ${seconds} s.`);
    await sleep(500);
  }
}
