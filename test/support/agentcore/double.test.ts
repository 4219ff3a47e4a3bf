import {
  BedrockAgentCoreControlClient,
  type BedrockAgentCoreControlClientConfig,
  CreateAgentRuntimeEndpointCommand,
  CreateHarnessEndpointCommand,
  DeleteAgentRuntimeEndpointCommand,
  DeleteHarnessEndpointCommand,
  GetAgentRuntimeEndpointCommand,
  GetHarnessCommand,
  type HarnessEndpoint,
  ListAgentRuntimeVersionsCommand,
  ListHarnessVersionsCommand,
  paginateListAgentRuntimeEndpoints,
  paginateListHarnessEndpoints,
  paginateListHarnesses,
  UpdateAgentRuntimeEndpointCommand,
  UpdateHarnessEndpointCommand,
} from '@aws-sdk/client-bedrock-agentcore-control';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type AgentCoreDouble, createAgentCoreDouble, type DoubleOptions } from './double.ts';
import { serveDouble } from './reach.ts';
import { CREDENTIALS } from './signature.ts';

// The SDK's own client, as it is, is the referee: what it sends must be accepted, and it must understand the answers.

const TOKEN = 'a-token-of-exactly-33-characters-';
const agentRuntimeId = 'shop-a1B2c3D4e5';
const endpointName = 'canary';

const open: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function start(
  options: Partial<DoubleOptions> = {},
  config: BedrockAgentCoreControlClientConfig = {},
): Promise<{ double: AgentCoreDouble; client: BedrockAgentCoreControlClient; url: string }> {
  const double = createAgentCoreDouble({ endpoints: { canary: 1, live: 1 }, ...options });
  const server = await serveDouble(double);
  const client = new BedrockAgentCoreControlClient({
    region: 'eu-central-1',
    endpoint: server.url,
    credentials: CREDENTIALS,
    maxAttempts: 1,
    ...config,
  });
  open.push(() => client.destroy(), server.close);
  return { double, client, url: server.url };
}

describe('the double, asked by the client of the SDK', () => {
  test('lists its endpoints page by page, with times that are times', async () => {
    const { client } = await start({ endpoints: { one: 1, two: 1, three: 2 }, pageSize: 3 });
    const pages = [];
    for await (const { runtimeEndpoints = [] } of paginateListAgentRuntimeEndpoints(
      { client },
      { agentRuntimeId },
    )) {
      pages.push(runtimeEndpoints);
    }

    expect(pages.map((page) => page.map(({ name }) => name))).toEqual([
      ['DEFAULT', 'one', 'two'],
      ['three'],
    ]);
    expect(pages.flat().map(({ createdAt }) => createdAt instanceof Date)).not.toContain(false);
    expect(pages.flat().map(({ liveVersion }) => liveVersion)).toEqual(['3', '1', '1', '2']);
  });

  test('updates an endpoint over time, and lists its versions', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const { client, double } = await start({
      now: () => now,
      versions: { 1: 'READY', 2: 'READY' },
    });
    const input = { agentRuntimeId, endpointName, agentRuntimeVersion: '2' };

    const answer = await client.send(new UpdateAgentRuntimeEndpointCommand(input));
    expect(answer).toMatchObject({ liveVersion: '1', targetVersion: '2', status: 'UPDATING' });
    expect(answer.$metadata.httpStatusCode).toBe(202);
    now += 20_000;
    expect(
      await client.send(new GetAgentRuntimeEndpointCommand({ agentRuntimeId, endpointName })),
    ).toMatchObject({ liveVersion: '2', status: 'READY', name: 'canary' });
    const { agentRuntimes } = await client.send(
      new ListAgentRuntimeVersionsCommand({ agentRuntimeId }),
    );
    expect(agentRuntimes?.map(({ agentRuntimeVersion }) => agentRuntimeVersion)).toEqual([
      '1',
      '2',
    ]);
    expect(double.violations).toEqual([]);
  });

  test.each([
    [true, '1'],
    [false, undefined],
  ])('fails an update with a reason, and says what is live: %s', async (saysLive, live) => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const failure = () => ({ reason: 'The container did not start.', saysLive });
    const { client } = await start({ now: () => now, failure });
    const input = { agentRuntimeId, endpointName, agentRuntimeVersion: '2' };

    await client.send(new UpdateAgentRuntimeEndpointCommand(input));
    now += 20_000;
    const said = await client.send(
      new GetAgentRuntimeEndpointCommand({ agentRuntimeId, endpointName }),
    );
    expect(said).toMatchObject({
      status: 'UPDATE_FAILED',
      failureReason: 'The container did not start.',
      targetVersion: '2',
    });
    expect(said.liveVersion).toBe(live);
  });

  test('carries out a call only once with the same token, and no other call with it', async () => {
    const { client, double } = await start();
    const input = { agentRuntimeId, endpointName, clientToken: `${TOKEN}0` };
    const update = (agentRuntimeVersion: string) =>
      client.send(new UpdateAgentRuntimeEndpointCommand({ ...input, agentRuntimeVersion }));

    const first = await update('2');
    expect(await update('2')).toMatchObject({ lastUpdatedAt: first.lastUpdatedAt });
    await expect(update('3')).rejects.toMatchObject({
      name: 'ValidationException',
      reason: 'IdempotentParameterMismatchException',
    });
    expect(double.updates).toEqual([{ endpoint: 'canary', version: 2 }]);
  });

  test('creates an endpoint, once', async () => {
    const { client } = await start();
    const create = () =>
      client.send(new CreateAgentRuntimeEndpointCommand({ agentRuntimeId, name: 'new_one' }));

    expect(await create()).toMatchObject({ endpointName: 'new_one', targetVersion: '3' });
    await expect(create()).rejects.toMatchObject({ name: 'ConflictException' });
  });

  test('counts what must never happen', async () => {
    const { client, double } = await start();
    const toDefault = { agentRuntimeId, endpointName: 'DEFAULT', agentRuntimeVersion: '1' };
    await client.send(new UpdateAgentRuntimeEndpointCommand(toDefault)).catch(() => undefined);
    await client.send(new DeleteAgentRuntimeEndpointCommand({ agentRuntimeId, endpointName }));

    expect(double.violations).toEqual([
      'UpdateAgentRuntimeEndpoint of DEFAULT',
      'DeleteAgentRuntimeEndpoint of canary',
    ]);
  });

  test.each([
    ['a name that is too long', { endpointName: 'a'.repeat(49) }],
    ['a version with a letter', { agentRuntimeVersion: 'v2' }],
    ['version 0', { agentRuntimeVersion: '0' }],
    ['a version with six digits', { agentRuntimeVersion: '100000' }],
    ['a token that is too short', { clientToken: 'short' }],
    ['a token that ends with a hyphen', { clientToken: TOKEN }],
  ])('refuses %s', async (_what, part) => {
    const { client, double } = await start();
    const input = { agentRuntimeId, endpointName, agentRuntimeVersion: '2', ...part };

    await expect(client.send(new UpdateAgentRuntimeEndpointCommand(input))).rejects.toMatchObject({
      name: 'ValidationException',
    });
    expect(double.calls).toEqual([]);
  });

  test.each([
    ['another key', { ...CREDENTIALS, accessKeyId: 'AKIDOTHER' }, 'UnrecognizedClientException'],
    ['an old session', { ...CREDENTIALS, sessionToken: 'old' }, 'ExpiredTokenException'],
    ['another secret', { ...CREDENTIALS, secretAccessKey: 'x' }, 'InvalidSignatureException'],
  ])('refuses %s', async (_what, credentials, name) => {
    const { client } = await start({}, { credentials });
    const command = new ListAgentRuntimeVersionsCommand({ agentRuntimeId });

    await expect(client.send(command)).rejects.toMatchObject({ name });
  });

  test('refuses requests without a signature', async () => {
    const { url } = await start();
    const answer = await fetch(`${url}/runtimes/${agentRuntimeId}/versions/`, { method: 'POST' });

    expect(answer.status).toBe(403);
  });

  test('refuses a signature for another service', async () => {
    const { client } = await start();
    client.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> };
        headers.authorization =
          headers.authorization?.replace('/bedrock-agentcore/', '/lambda/') ?? '';
        return next(args);
      },
      // This is after the SDK has signed the request.
      { step: 'finalizeRequest', priority: 'low' },
    );

    await expect(
      client.send(new ListAgentRuntimeVersionsCommand({ agentRuntimeId })),
    ).rejects.toMatchObject({ name: 'InvalidSignatureException' });
  });

  test('throttles as it is told', async () => {
    const { client } = await start({
      disturb: () => ({
        kind: 'error',
        name: 'ThrottlingException',
        headers: { 'retry-after': '7' },
      }),
    });
    const command = new ListAgentRuntimeVersionsCommand({ agentRuntimeId });

    await expect(client.send(command)).rejects.toMatchObject({
      name: 'ThrottlingException',
      $metadata: { httpStatusCode: 429 },
    });
  });
});

describe('the double of a harness, asked by the client of the SDK', () => {
  const harnessId = agentRuntimeId;
  const ofHarness = (options: Partial<DoubleOptions> = {}) => start({ of: 'harness', ...options });

  test('lists its endpoints page by page, with times that are times', async () => {
    const { client } = await ofHarness({ pageSize: 2 });
    const pages = [];
    for await (const page of paginateListHarnessEndpoints({ client }, { harnessId })) {
      pages.push(page.endpoints ?? []);
    }

    expect(pages.map((page) => page.map((one) => one.endpointName))).toEqual([
      ['DEFAULT', 'canary'],
      ['live'],
    ]);
    expect(pages.flat().map(({ updatedAt }) => updatedAt instanceof Date)).not.toContain(false);
  });

  test('updates an endpoint over time, once for a token, and its lists may be behind', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const { client, double } = await ofHarness({ now: () => now, listLagSeconds: 5 });
    const input = { harnessId, endpointName, targetVersion: '2', clientToken: `${TOKEN}0` };
    const list = async () => {
      const { value } = await paginateListHarnessEndpoints({ client }, { harnessId }).next();
      return value?.endpoints?.find(({ endpointName: name }: HarnessEndpoint) => name === 'canary');
    };

    for (const _ of ['first', 'again']) {
      const { endpoint, $metadata } = await client.send(new UpdateHarnessEndpointCommand(input));
      expect(endpoint).toMatchObject({ liveVersion: '1', targetVersion: '2', status: 'UPDATING' });
      expect($metadata.httpStatusCode).toBe(200);
    }
    expect(await list()).toMatchObject({ targetVersion: '1', status: 'READY' });
    now += 5_000;
    expect(await list()).toMatchObject({ targetVersion: '2', status: 'UPDATING' });
    now += 15_000;
    expect(await list()).toMatchObject({ liveVersion: '2', status: 'READY' });
    expect(double.updates).toEqual([{ endpoint: 'canary', version: 2 }]);
  });

  test('says its versions, and the runtime beneath a harness', async () => {
    const { client } = await ofHarness({ versions: 2 });
    const { harnessVersions } = await client.send(new ListHarnessVersionsCommand({ harnessId }));
    expect(harnessVersions?.map(({ harnessVersion }) => harnessVersion)).toEqual(['1', '2']);
    const { harness } = await client.send(new GetHarnessCommand({ harnessId }));
    expect(harness?.environment?.agentCoreRuntimeEnvironment?.agentRuntimeId).toMatch(/^beneath_/);
    const { value } = await paginateListHarnesses({ client }, {}).next();
    expect(value?.harnesses).toMatchObject([{ harnessId }]);
  });

  test('refuses what the reference does not allow, and counts what must never happen', async () => {
    const { client, double } = await ofHarness();
    const update = { harnessId, endpointName, targetVersion: '2' };
    for (const part of [
      { harnessId: `${'a'.repeat(41)}-a1B2c3D4e5` },
      { endpointName: 'a-b' },
      { targetVersion: 'v2' },
      { clientToken: 'short' },
    ]) {
      const command = new UpdateHarnessEndpointCommand({ ...update, ...part });
      await expect(client.send(command)).rejects.toMatchObject({ name: 'ValidationException' });
    }
    expect(double.calls).toEqual([]);
    const toDefault = new UpdateHarnessEndpointCommand({ ...update, endpointName: 'DEFAULT' });
    await expect(client.send(toDefault)).rejects.toMatchObject({ name: 'ConflictException' });
    const twice = new CreateHarnessEndpointCommand({ harnessId, endpointName });
    await expect(client.send(twice)).rejects.toMatchObject({ name: 'ConflictException' });
    await client.send(new DeleteHarnessEndpointCommand({ harnessId, endpointName }));
    expect(double.violations).toEqual([
      'UpdateHarnessEndpoint of DEFAULT',
      'DeleteHarnessEndpoint of canary',
    ]);
  });
});
