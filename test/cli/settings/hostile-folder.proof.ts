import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { type RequestLine, startEndpointServer } from '../../../lib/simulation/server.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';
import { closed, ended, killPrograms, saw, startProgram } from '../program-process.ts';
import { startHere } from '../run-here.ts';

// A folder that somebody else filled, a repository just cloned, with a steproll.config.json in it.

const HINT =
  'steproll.config.json in this folder is not read; --config steproll.config.json or STEPROLL_CONFIG would name it.\n';
const LIST = ['agent', 'runtime', 'endpoint', 'list', 'shop', '-o', 'json'];

const home = mkdtempSync(join(tmpdir(), 'steproll-home-'));
const folder = mkdtempSync(join(tmpdir(), 'steproll-cloned-'));
const received: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
const requests: RequestLine[] = [];
let service: Awaited<ReturnType<typeof startEndpointServer>>;
let stranger: Server;
let strangersUrl: string;
let locked: Server;
let lockedUrl: string;

beforeAll(async () => {
  const runtimes = ['shop', 'hidden'].map((id) => ({ id, endpoints: 3, rollSeconds: 0.1 }));
  service = await startEndpointServer({
    scenario: parseScenario({ runtimes }),
    port: 0,
    clock: systemClock,
    onRequest: (line) => void requests.push(line),
  });
  stranger = createServer(({ url, headers }, answer) => {
    received.push({ url, headers });
    answer.setHeader('content-type', 'application/json').end('{"listData":[],"totalItem":0}');
  }).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  locked = createServer((_, answer) => void answer.writeHead(401).end()).listen(0, '127.0.0.1');
  await once(locked, 'listening');
  lockedUrl = `http://127.0.0.1:${(locked.address() as AddressInfo).port}`;
  strangersUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  writeFileSync(join(home, 'prod-token'), 'canary-of-prod');
  writeFileSync(
    join(home, 'profiles'),
    '[prod]\nendpoint_url = http://127.0.0.1:1\ntoken_file = prod-token\n',
  );
});
beforeEach(() => {
  received.length = 0;
  requests.length = 0;
});
afterAll(async () => {
  killPrograms();
  stranger.close();
  locked.close();
  await service.close();
  for (const each of [home, folder]) rmSync(each, { recursive: true });
});

function lay(config: object): void {
  writeFileSync(join(folder, 'steproll.config.json'), JSON.stringify(config));
}

function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  return ended(startHere(home, args, { ...OWN, ...variables }, { cwd: folder }));
}

const OWN = { STEPROLL_PROFILES_FILE: join(home, 'profiles') };

/** The service, and a token for it, in the environment. */
const inEnvironment = () => ({ STEPROLL_ENDPOINT_URL: service.url, STEPROLL_TOKEN: 'canary' });

describe('a steproll.config.json that lies in the current folder', () => {
  test('does not decide how a rollout is done: what is healthy is rolled, and nothing is stopped', async () => {
    lay({
      policies: {
        default: {
          statuses: { failed: ['*'], stopped: [] },
          waves: [{ percent: 100 }],
          maxUnavailable: { percent: 100 },
          minServing: 0,
          progressDeadlineSeconds: 1,
          pollSeconds: 1,
          bakeSeconds: 0,
        },
      },
    });
    const version = ['rollout', 'plan', 'shop', '--version', '2', '-o', 'json'];
    const plan = await run(version, inEnvironment());
    expect(plan).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(plan.stdout).policy).toEqual(WHOLE_POLICY);

    const start = ['rollout', 'start', 'shop', '--version', '2', '--yes', '--bake', '0'];
    // Node.js itself says for a process where relative paths begin.
    const variables = { ...OWN, ...inEnvironment() };
    const { code, stderr } = await ended(
      startProgram(home, [...start, '--poll', '1'], 'steproll', variables, folder),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining(HINT) });
    const writes = requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
    expect(writes).toEqual(['PUT', 'PUT', 'PUT']);
  });

  test.each([
    ["another profile's token file", () => ({ file: join(home, 'prod-token') })],
    ['any variable of the environment', () => ({ environment: 'DEPLOY_KEY' })],
  ])('gets no request, and so not %s', async (_, secret) => {
    lay({ endpointUrl: strangersUrl, auth: { kind: 'bearer', secret: secret() } });
    expect(await run(LIST, { DEPLOY_KEY: 'canary' })).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^Invalid .*\n {2}--endpoint-url: .*\nsteproll\.config\.json /),
    });
    const { code } = await run(LIST, { ...inEnvironment(), DEPLOY_KEY: 'canary' });
    expect({ code, received }).toEqual({ code: 0, received: [] });
  });

  test('gets no client credentials through a token URL of its own', async () => {
    writeFileSync(join(home, 'client.json'), '{"clientId":"canary","clientSecret":"canary"}');
    const secret = { file: join(home, 'client.json') };
    lay({ auth: { kind: 'client-credentials', tokenUrl: `${strangersUrl}/token`, secret } });
    const { code } = await run(LIST, { STEPROLL_ENDPOINT_URL: service.url });
    expect({ code, received }).toEqual({ code: 0, received: [] });
  });

  test('does not choose the region in a URL of the user, or the names in its JSON', async () => {
    lay({ region: 'theirs', wire: { endpoint: { liveVersion: 'id' } } });
    const url = `${service.url}/{region}`;
    expect(await run(LIST, { STEPROLL_ENDPOINT_URL: url })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('{region} stands for the region, and no region is set'),
    });
    expect(requests).toEqual([]);
    const { code, stdout } = await run(LIST, { STEPROLL_ENDPOINT_URL: service.url });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).endpoints[0]).toMatchObject({ name: 'endpoint-01', liveVersion: 2 });
  });

  test('gives a listener nothing to roll', async () => {
    lay({ endpointUrl: strangersUrl, runtimes: { shop: {} } });
    expect(await run(['listen', '--port', '0'], inEnvironment())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('runtimes: missing; name the runtimes that may be rolled'),
    });
    expect(received).toEqual([]);
  });

  test('is spoken of where the URL fails, or where the service wants credentials', async () => {
    lay({ endpointUrl: strangersUrl });
    const url = 'http://127.0.0.1:1';
    expect(await run(LIST, { STEPROLL_ENDPOINT_URL: url })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`from STEPROLL_ENDPOINT_URL.\n${HINT}`),
    });
    expect(await run(LIST, { STEPROLL_ENDPOINT_URL: lockedUrl })).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(new RegExp(`No credentials were sent: .*\n${HINT}`)),
    });
    const outputs = ['-o', 'xml'];
    const unasked = await run([...LIST, ...outputs], { STEPROLL_ENDPOINT_URL: url });
    expect(unasked).toMatchObject({ code: 2, stderr: expect.not.stringContaining(HINT) });
  });

  test('is read where somebody names it, and then says nothing of itself', async () => {
    lay({ endpointUrl: service.url });
    for (const how of [
      run([...LIST, '--config', 'steproll.config.json']),
      run(LIST, { STEPROLL_CONFIG: 'steproll.config.json' }),
    ]) {
      expect(await how).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

describe('a profile that nobody named', () => {
  const lying = () => {
    const profiles = join(home, 'lying');
    writeFileSync(
      profiles,
      `[default]\nendpoint_url = ${strangersUrl}\ntoken_file = prod-token\n[prod]\nendpoint_url = ${strangersUrl}\n`,
    );
    return { STEPROLL_PROFILES_FILE: profiles };
  };

  test('yields to a configuration that somebody names, and keeps its token to its own service', async () => {
    writeFileSync(join(home, 'named.json'), JSON.stringify({ endpointUrl: service.url }));
    const config = join(home, 'named.json');
    expect(await run([...LIST, '--config', config], lying())).toMatchObject({ code: 0 });
    expect(await run(LIST, { ...lying(), STEPROLL_CONFIG: config })).toMatchObject({ code: 0 });
    expect({ received, heard: requests.length }).toEqual({ received: [], heard: 2 });
  });

  test('yields also where it is listened, and the first line says which service it is', async () => {
    const config = join(home, 'listen.json');
    const runtimes = { shop: {} };
    writeFileSync(config, JSON.stringify({ endpointUrl: service.url, runtimes }));
    const args = ['listen', '--port', '0', '--config', config];
    const listener = startHere(home, args, lying(), { cwd: folder });
    const first = await saw(listener, 'Listening at');
    listener.kill('SIGTERM');
    await closed(listener);
    expect(first).toContain(`for releases of shop at the service ${service.url}\n`);
    expect(received).toEqual([]);
  });

  test('is what a bare command line goes by', async () => {
    expect(await run(LIST, lying())).toMatchObject({ code: 0 });
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer canary-of-prod']);
  });
});

test('a profile and a configuration that are named in the same place: the profile wins', async () => {
  const config = join(home, 'other.json');
  writeFileSync(config, JSON.stringify({ endpointUrl: service.url }));
  const { stdout } = await run(['rollout', 'plan', 'hidden', '--version', '2', '-o', 'json'], {
    STEPROLL_CONFIG: config,
  });
  expect(JSON.parse(stdout)).toMatchObject({ endpointUrl: service.url });
  const profile = [...LIST, '--profile', 'prod', '--config', config];
  const { code, stderr } = await run([...profile, '--debug']);
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining('endpoint-url http://127.0.0.1:1, from profile "prod"'),
  });
});
