import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BedrockAgentCoreControlClient,
  CreateAgentRuntimeCommand,
  UpdateAgentRuntimeCommand,
} from '@aws-sdk/client-bedrock-agentcore-control';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { deploy } from './deploy.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { runCommand, runOrThrow } from './run-command.ts';

// The commands of docs/agentcore.md, in its order.

const AGENT = {
  agentRuntimeArtifact: {
    containerConfiguration: {
      containerUri: '000000000000.dkr.ecr.us-east-1.amazonaws.com/shop:latest',
    },
  },
  roleArn: 'arn:aws:iam::000000000000:role/shop',
  networkConfiguration: { networkMode: 'PUBLIC' as const },
};

const configFor = (runtimeId: string) => ({
  name: 'steproll',
  service: { kind: 'agentcore', region: 'us-east-1' },
  policies: {
    default: {
      waves: [{ names: ['canary'] }, { percent: 100 }],
      bakeSeconds: 0,
      pollSeconds: 1,
      maxPollSeconds: 5,
    },
    approved: { verify: { approval: { timeoutSeconds: 3600 } } },
  },
  runtimes: {
    [runtimeId]: { policy: 'approved' },
  },
  triggers: { releases: [{ name: 'agent-updates', kind: 'agentcore' }] },
});

let emulator: Emulator;
let folder: string;
let env: Readonly<Record<string, string>>;
let runtimeId: string;
let file: string;
let client: BedrockAgentCoreControlClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-e2e-'));
  emulator = await startEmulator();
  Object.assign(process.env, emulator.env);
  client = new BedrockAgentCoreControlClient({});
  const created = await client.send(
    new CreateAgentRuntimeCommand({ agentRuntimeName: 'shop', ...AGENT }),
  );
  runtimeId = created.agentRuntimeId ?? '';
  file = join(folder, 'shop.json');
  writeFileSync(file, JSON.stringify(configFor(runtimeId)));
  env = { ...emulator.env, STEPROLL_STATE_DIR: folder, STEPROLL_CONFIG: file };
});

afterAll(async () => {
  client?.destroy();
  await emulator?.end();
  rmSync(folder, { recursive: true, force: true });
});

test('endpoints are created on the version that is live, and DEFAULT goes its own way', async () => {
  for (const name of ['canary', 'live_1', 'live_2']) {
    const args = ['agent', 'runtime', 'endpoint', 'create', runtimeId, '--name', name];
    expect((await steproll(...args, '--version', '1', '-o', 'id')).trim()).toBe(name);
  }
  await newVersion();

  expect(await liveVersions()).toEqual({ DEFAULT: 2, canary: 1, live_1: 1, live_2: 1 });
});

test('a plan has the canary first, and leaves DEFAULT out', async () => {
  const plan = await steproll('rollout', 'plan', runtimeId, '--version', 'latest');

  expect(plan).toContain(`${runtimeId} to version 2, 3 of 4 endpoints in 2 waves`);
  expect(plan).toContain('Wave 1: 1 (canary)');
  expect(plan).toContain('Moved by the service itself: 1 (DEFAULT)');
});

test('a canary that somebody rejects goes back', async () => {
  const [{ exitCode }] = await Promise.all([start(2), answer('reject')]);

  expect(exitCode).not.toBe(0);
  expect(await liveVersions()).toEqual({ DEFAULT: 2, canary: 1, live_1: 1, live_2: 1 });
  const [newest] = await rollouts();
  expect(newest).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
});

test('a canary that somebody approves is followed by the others', async () => {
  // What was rejected is in quarantine.
  const [{ exitCode }] = await Promise.all([start(2, '--again'), answer('approve')]);

  expect(exitCode).toBe(0);
  expect(await liveVersions()).toEqual({ DEFAULT: 2, canary: 2, live_1: 2, live_2: 2 });
});

test('an endpoint cannot be stopped, and stays', async () => {
  const args = ['agent', 'runtime', 'endpoint', 'stop', runtimeId, 'canary', '--yes'];
  const { exitCode, stderr } = await runCommand(['bin/steproll.ts', ...args], env);

  expect(exitCode).toBe(2);
  expect(stderr).toContain('AgentCore cannot stop an endpoint.');
  expect(await liveVersions()).toMatchObject({ canary: 2 });
});

test('on AWS the functions roll what was released, with the permissions of their own roles', async () => {
  const config = { ...configFor(runtimeId), runtimes: { [runtimeId]: {} } };
  await deploy(config, emulator.env, folder);
  await newVersion();

  // --wait gives up after a minute, and a busy machine may take longer to load the functions.
  await steproll('release', 'publish', runtimeId, '--version', '3', '--engine', 'aws');
  let ended: Listed | undefined;
  await until(async () => {
    ended = (await rollouts('--engine', 'aws')).find(({ outcome }) => outcome !== null);
    return ended !== undefined;
  });

  expect(ended).toMatchObject({ outcome: 'Succeeded' });
  expect(await liveVersions()).toEqual({ DEFAULT: 3, canary: 3, live_1: 3, live_2: 3 });
});

async function newVersion(): Promise<void> {
  await client.send(new UpdateAgentRuntimeCommand({ agentRuntimeId: runtimeId, ...AGENT }));
}

function steproll(...args: readonly string[]): Promise<string> {
  return runOrThrow(['bin/steproll.ts', ...args], env);
}

/** Starts a rollout in a process of its own, and waits for its end. */
function start(version: number, ...more: readonly string[]) {
  const args = ['rollout', 'start', runtimeId, '--version', `${version}`, '--yes', ...more];
  return runCommand(['bin/steproll.ts', ...args], env);
}

/** Answers the wave that waits for an approval, as soon as one does. */
async function answer(word: 'approve' | 'reject'): Promise<void> {
  const id = await underWay();
  await until(async () => {
    const { exitCode } = await runCommand(['bin/steproll.ts', 'rollout', word, id], env);
    return exitCode === 0;
  });
}

interface Listed {
  readonly rolloutId: string;
  readonly outcome: string | null;
}

async function rollouts(...where: readonly string[]): Promise<Listed[]> {
  return JSON.parse(await steproll('rollout', 'list', runtimeId, '-o', 'json', ...where));
}

/** The id of a rollout that is under way, as soon as there is one. */
async function underWay(): Promise<string> {
  let id: string | undefined;
  await until(async () => {
    id = (await rollouts()).find(({ outcome }) => outcome === null)?.rolloutId;
    return id !== undefined;
  });
  return id ?? '';
}

async function liveVersions(): Promise<Readonly<Record<string, number | null>>> {
  const args = ['agent', 'runtime', 'endpoint', 'list', runtimeId, '--all', '-o', 'json'];
  const { endpoints } = JSON.parse(await steproll(...args)) as { endpoints: Endpoint[] };
  return Object.fromEntries(endpoints.map(({ id, liveVersion }) => [id, liveVersion]));
}

async function until(isSo: () => Promise<boolean>, seconds = 600): Promise<void> {
  const end = Date.now() + seconds * 1_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`It is not so after ${seconds} s.`);
    await sleep(500);
  }
}
