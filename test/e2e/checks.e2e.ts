import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import type { CheckQuestion } from '../../lib/gates/checks.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { type EndpointServer, startEndpointServer } from '../../lib/simulation/server.ts';
import { deploy } from './deploy.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { runCommand, runOrThrow } from './run-command.ts';
import { createSideStack } from './side-stack.ts';
import { takePermission } from './take-permission.ts';

// docs/checks.md#a-lambda-function: functions of somebody else, which rollouts of the deployed stack ask.

const RUNTIMES = ['shop', 'billing', 'orders'];

const scenario = parseScenario({
  runtimes: RUNTIMES.map((id) => ({ id, version: 1, endpoints: 2, rollSeconds: 0.5 })),
});

let emulator: Emulator;
let server: EndpointServer;
let listener: Server;
let folder: string;
let env: Readonly<Record<string, string>>;
/** What the functions were asked. */
const asked: CheckQuestion[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-e2e-'));
  emulator = await startEmulator();
  Object.assign(process.env, emulator.env);
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  listener = await listenForQuestions();
  const { Works = '', Refuses = '' } = await createChecks(listener);
  const { ARN: awsSecret = '' } = await new SecretsManagerClient({}).send(
    new CreateSecretCommand({ Name: 'steproll', SecretString: 'token' }),
  );
  const checked = (...checks: readonly object[]) => ({ verify: { checks } });
  const config = {
    name: 'steproll',
    endpointUrl: server.url,
    auth: { kind: 'bearer', secret: { awsSecret } },
    policies: {
      default: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        ...{ maxUnavailable: { percent: 100 }, bakeSeconds: 0, onFailure: 'roll-back' },
        ...{ pollSeconds: 1, maxPollSeconds: 5, progressDeadlineSeconds: 30 },
      },
      tested: checked(
        { name: 'tests', lambda: Works, when: 'before-rollout' },
        { name: 'score', lambda: Works, when: 'bake-end' },
      ),
      refused: checked({ name: 'score', lambda: Refuses }),
      scored: checked({ name: 'score', lambda: Works }),
    },
    runtimes: {
      ...{ shop: { policy: 'tested' }, billing: { policy: 'refused' } },
      orders: { policy: 'scored' },
    },
  };
  await deploy(config, emulator.env, folder);
  env = { ...emulator.env, STEPROLL_STATE_DIR: folder };
});

afterAll(async () => {
  listener?.close();
  await server?.close();
  await emulator?.end();
  rmSync(folder, { recursive: true, force: true });
});

test('a rollout waits for a function that is at work, before it begins and at the end of each bake', async () => {
  const rolled = await roll('shop');

  expect(rolled).toMatchObject({ outcome: 'Succeeded' });
  const questions = asked.map(({ check, wave, attempt }) => `${check} ${wave}/${attempt}`);
  expect([...new Set(questions)]).toEqual([
    ...['tests 1/1', 'tests 1/2'],
    ...['score 1/1', 'score 1/2', 'score 2/1', 'score 2/2'],
  ]);
  expect(asked[0]).toMatchObject({ runtimeId: 'shop', desiredVersion: 2, when: 'before-rollout' });
  expect(asked[0]?.endpoints).toHaveLength(2);
  expect(await liveVersions('shop')).toEqual([2, 2]);
});

test('what a function says no to is taken back', async () => {
  const rolled = await roll('billing');

  expect(rolled).toMatchObject({
    ...{ outcome: 'Failed', reason: 'GateFailed', cleanup: 'rolledBack' },
    message: expect.stringContaining('check score: FAILED: 2 of 5 answers are wrong'),
  });
  expect(await liveVersions('billing')).toEqual([1, 1]);
});

test('a function that may not be called gives no answer, and nothing is taken back', async () => {
  const taken = await Promise.all(
    ['RolloutsStepslook'].map((id) => takePermission(id, 'lambda:InvokeFunction')),
  );
  try {
    const rolled = await roll('orders');
    expect(rolled).toMatchObject({
      ...{ outcome: 'Errored', reason: 'GateUnknown', cleanup: 'none' },
      message: expect.stringContaining('check score'),
    });
  } finally {
    for (const one of taken) await one.destroy();
  }
  expect(asked.filter(({ runtimeId }) => runtimeId === 'orders')).toEqual([]);
  expect((await liveVersions('orders')).toSorted()).toEqual([1, 2]);
});

/** Rolls the runtime to version 2 on AWS, and answers how that ended. */
async function roll(runtimeId: string): Promise<object> {
  const args = ['rollout', 'start', runtimeId, '--version', '2', '--yes', '--detach'];
  const started = await runOrThrow(
    ['bin/steproll.ts', ...args, '--engine', 'aws', '-o', 'id'],
    env,
  );
  const [id] = [started.trim()];
  await runCommand(['bin/steproll.ts', 'rollout', 'watch', id, '--engine', 'aws'], env);
  const shown = ['rollout', 'show', id, '--engine', 'aws', '-o', 'json'];
  return JSON.parse(await runOrThrow(['bin/steproll.ts', ...shown], env));
}

/** Functions that a user might have: one that is at work when it is asked first, and one that says no. */
async function createChecks(listener: Server): Promise<Readonly<Record<string, string>>> {
  const { port } = listener.address() as AddressInfo;
  const trust = {
    ...{ Effect: 'Allow', Action: 'sts:AssumeRole' },
    Principal: { Service: 'lambda.amazonaws.com' },
  };
  const Role = {
    Type: 'AWS::IAM::Role',
    Properties: { AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [trust] } },
  };
  const answering = (answer: string) => ({
    Type: 'AWS::Lambda::Function',
    Properties: {
      ...{ Runtime: 'nodejs24.x', Handler: 'index.handler', Timeout: 30 },
      Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
      Code: {
        ZipFile: `exports.handler = async (event) => {
  await fetch('http://127.0.0.1:${port}', { method: 'POST', body: JSON.stringify(event) });
  return ${answer};
};`,
      },
    },
  });
  const { outputs } = await createSideStack(
    'Checks',
    {
      Role,
      Works: answering(
        "event.attempt === 1 ? { hookStatus: 'IN_PROGRESS', callBackDelay: 1 } : { hookStatus: 'SUCCEEDED' }",
      ),
      Refuses: answering("{ hookStatus: 'FAILED', message: '2 of 5 answers are wrong' }"),
    },
    {
      Works: { 'Fn::GetAtt': ['Works', 'Arn'] },
      Refuses: { 'Fn::GetAtt': ['Refuses', 'Arn'] },
    },
  );
  return outputs;
}

/** The functions tell here what they are asked. */
async function listenForQuestions(): Promise<Server> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    asked.push(JSON.parse(body));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function liveVersions(runtimeId: string): Promise<(number | null)[]> {
  const url = `${server.url}/agent-runtimes/${runtimeId}/endpoints?page=1&size=100`;
  const { listData } = (await (await fetch(url)).json()) as {
    listData: { liveVersion: number | null }[];
  };
  return listData.map(({ liveVersion }) => liveVersion);
}
