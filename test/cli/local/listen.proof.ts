import { existsSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readListenerFile } from '../../../lib/adapters/listener/listener-file.ts';
import { publishToListener } from '../../../lib/adapters/listener/publish-to-listener.ts';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { type RequestLine, startEndpointServer } from '../../../lib/simulation/server.ts';
import { agentcoreCall } from '../../contract/trigger-examples.ts';
import { ended, killPrograms, saw, startProgram } from '../program-process.ts';
import { startHere } from '../run-here.ts';

let home: string;
const homes: string[] = [];
const requests: RequestLine[] = [];
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const runtimes = ['quick', 'killed', 'ended', 'eu-1', 'eu-2'].map((id) => ({
    id,
    endpoints: 2,
    rollSeconds: id === 'quick' ? 0.1 : 2,
  }));
  server = await startEndpointServer({
    scenario: parseScenario({ runtimes }),
    port: 0,
    clock: systemClock,
    onRequest: (line) => requests.push(line),
  });
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steproll-listen-'));
  homes.push(home);
});
afterAll(async () => {
  killPrograms();
  await server.close();
  for (const one of homes) rmSync(one, { recursive: true });
});

const LISTEN = ['listen', '--config', 'steproll.config.json', '--port', '0'];

function writeConfig(triggers?: object): void {
  const config = {
    endpointUrl: server.url,
    policies: {
      default: { waves: [{ endpoints: 1 }, { percent: 100 }], bakeSeconds: 0, pollSeconds: 1 },
    },
    runtimes: {
      ...{ quick: {}, killed: {}, ended: {}, 'eu-1': {}, 'eu-2': {} },
    },
    groups: { eu: { runtimes: ['eu-*'], policy: { pollSeconds: 1, maxPollSeconds: 1 } } },
    ...(triggers && { triggers }),
  };
  writeFileSync(join(home, 'steproll.config.json'), JSON.stringify(config));
}

/** Starts a listener in the home folder of the test, and answers it, and all that it writes, once it listens. */
async function startListener(start: typeof startHere | typeof startProgram, triggers?: object) {
  writeConfig(triggers);
  const child = start(home, LISTEN);
  const output = ended(child);
  await saw(child, 'Listening at');
  return { child, output };
}

/** Sends the event of a call of AgentCore for the runtime `quick`, as CloudTrail writes it. */
async function postUpdate(eventName: string): Promise<Response> {
  const { url, token } = readListenerFile(home) ?? { url: '', token: '' };
  const event = agentcoreCall(eventName, { requestParameters: { agentRuntimeId: 'quick' } });
  return fetch(`${url}/events?release=agentcore`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
}

function publish(what: string | { readonly group: string }, version: number | 'latest') {
  const subject = typeof what === 'string' ? { runtimeId: what } : what;
  return publishToListener(home, {
    source: 'steproll.release',
    'detail-type': 'Release Published',
    detail: { ...subject, version, releaseId: `build-${version}\u202e` },
  });
}

/** The `detail-type` and the rollout of each event, in order. */
function eventsIn(stdout: string): string[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((event) => `${event.source} ${event['detail-type']} ${event.detail.rolloutId}`);
}

function rollsOf(runtimeId: string): number {
  const start = `/agent-runtimes/${runtimeId}/`;
  return requests.filter(({ method, url }) => method === 'PUT' && url.startsWith(start)).length;
}

test('a release is rolled to its end, its events are lines on stdout, and SIGTERM ends it: exit 0', async () => {
  const { child, output } = await startListener(startProgram);
  const isOver = saw(child, 'Rollout Ended');
  const { rolloutId, result } = await publish('quick', 2);
  await isOver;
  child.kill('SIGTERM');

  const { code, stdout, stderr } = await output;
  expect({ code, result }).toEqual({ code: 0, result: 'started' });
  expect(eventsIn(stdout)).toEqual(
    [
      'Rollout Started',
      'Wave Started',
      'Wave Converged',
      'Wave Started',
      'Wave Converged',
      'Rollout Ended',
    ].map((type) => `steproll ${type} ${rolloutId}`),
  );
  expect(stdout).toContain('build-2\\u202e');
  expect(stderr).toContain(`Rollout ${rolloutId} of quick: Succeeded (Converged)`);
  expect(existsSync(join(home, 'listener.json'))).toBe(false);
});

test('an at that was due while no listener ran is rolled once, and one that is too old is said', async () => {
  const minutesAgo = (minutes: number) =>
    new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 19);
  const [missed, old] = [minutesAgo(30), minutesAgo(150)];
  const of = { runtimeId: 'quick', version: 3 };
  const schedules = [
    { name: 'missed', at: missed, ...of },
    { name: 'old', at: old, ...of },
  ];
  const first = await startListener(startHere, { schedules });
  await saw(first.child, 'Succeeded');
  first.child.kill('SIGTERM');
  const { stdout, stderr } = await first.output;
  expect(eventsIn(stdout).filter((line) => line.includes('Rollout Ended'))).toHaveLength(1);
  expect(stdout).toContain('"name":"missed"');
  expect(stderr).toContain(`Schedule missed was due at ${missed}.000Z and is made up for now`);
  expect(stderr).toContain(`Schedule old was due at ${old}.000Z and did not start`);

  const second = await startListener(startHere, { schedules });
  const refused = saw(second.child, 'Refused POST /events');
  await expect(publish('unknown', 2)).rejects.toMatchObject({ name: 'UnknownRuntime' });
  await refused;
  second.child.kill('SIGTERM');
  const again = await second.output;
  expect(again.stdout).toBe('');
  for (const [name, at] of [
    ['missed', missed],
    ['old', old],
  ]) {
    expect(again.stderr).toContain(
      `Schedule ${name}, at(${at}), next: never: it was due at ${at}.000Z`,
    );
  }
});

test('what is refused reaches the sender and the log, and the listener goes on', async () => {
  const { child, output } = await startListener(startHere);
  const refused = saw(child, 'Refused POST /events: UnknownRuntime');
  await expect(publish('unknown', 2)).rejects.toMatchObject({ name: 'UnknownRuntime' });
  await refused;
  await expect(publish('quick', 2)).resolves.toMatchObject({ result: 'started' });
  child.kill('SIGTERM');
  await output;
});

test('the event of an update of AgentCore is a release of the version that the update has made, and that of its own rolls is none', async () => {
  const { child, output } = await startListener(startHere, { releases: [{ kind: 'agentcore' }] });
  const isOver = saw(child, 'Rollout Ended');
  const rolled = await postUpdate('UpdateAgentRuntime');
  expect(rolled.status).toBe(202);
  await isOver;
  const own = await postUpdate('UpdateAgentRuntimeEndpoint');
  expect([own.status, await own.json()]).toEqual([
    400,
    { error: 'InvalidTrigger', message: expect.stringContaining('event.detail.eventName: ') },
  ]);
  child.kill('SIGTERM');

  const { stdout } = await output;
  expect(stdout).toContain('"name":"agentcore"');
  expect(stdout).toContain('"desiredVersion":7');
});

test('a release of the latest version is refused where the service cannot list versions', async () => {
  const { child, output } = await startListener(startHere);
  await expect(publish('quick', 'latest')).rejects.toMatchObject({
    name: 'VersionsUnsupported',
    message: expect.stringContaining('name a version, or the endpoint to take it from'),
  });
  child.kill('SIGTERM');

  const { stderr } = await output;
  expect(stderr).toContain('Refused POST /events: VersionsUnsupported');
});

test('L04: killed in mid-roll, the next one takes the rollout to its end, and rolls nothing twice', async () => {
  const first = await startListener(startProgram);
  const { rolloutId } = await publish('killed', 2);
  while (rollsOf('killed') === 0) await systemClock.sleep(20);
  first.child.kill('SIGKILL');
  await first.output;

  const second = await startListener(startHere);
  await saw(second.child, `Rollout ${rolloutId} of killed: Succeeded (Converged)`);
  second.child.kill('SIGTERM');
  const { stderr } = await second.output;
  expect(stderr).toContain(`Rollout ${rolloutId} of killed: was left open, and goes on here`);
  expect(rollsOf('killed')).toBe(2);
});

test('L04: a group is released too, and goes on with the next listener, with the runtime that was in mid-roll', async () => {
  const first = await startListener(startProgram);
  const { rolloutId } = await publish({ group: 'eu' }, 2);
  while (rollsOf('eu-2') === 0) await systemClock.sleep(20);
  first.child.kill('SIGKILL');
  await first.output;

  const second = await startListener(startHere);
  await saw(second.child, `Rollout ${rolloutId} of group:eu: Succeeded (Converged)`);
  second.child.kill('SIGTERM');
  const { stderr } = await second.output;
  expect(stderr).toContain(`Rollout ${rolloutId} of group:eu: was left open, and goes on here`);
  expect(stderr).toMatch(/Rollout eu-2-v\d+-[0-9a-f]{20} of eu-2: was left open, and goes on here/);
  expect([rollsOf('eu-1'), rollsOf('eu-2')]).toEqual([2, 2]);
});

test('E07: a group that the configuration does not have is refused', async () => {
  const { child, output } = await startListener(startHere);
  await expect(publish({ group: 'us' }, 2)).rejects.toMatchObject({
    name: 'UnknownRuntime',
    message: expect.stringContaining('names the group "us"'),
  });
  child.kill('SIGTERM');
  await output;
});

test('Ctrl-C in mid-roll leaves the rollout open for the next one: exit 130', async () => {
  const first = await startListener(startProgram);
  const { rolloutId } = await publish('ended', 2);
  while (rollsOf('ended') === 0) await systemClock.sleep(20);
  first.child.kill('SIGINT');
  const { code, stdout, stderr } = await first.output;
  expect(code).toBe(130);
  expect(stdout).not.toContain('Rollout Ended');
  expect(stderr).toContain(`steproll rollout resume ${rolloutId}`);

  const second = await startListener(startHere);
  await saw(second.child, `Rollout ${rolloutId} of ended: Succeeded (Converged)`);
  second.child.kill('SIGTERM');
  await second.output;
});

describe('bad beginnings', () => {
  test('L03: a port that is busy: exit 1, and nothing is started', async () => {
    writeConfig();
    const child = startHere(home, [...LISTEN.slice(0, -1), new URL(server.url).port]);
    expect(await ended(child)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^PortUnavailable: Cannot listen on 127\.0\.0\.1 port \d+: /),
    });
    expect(readListenerFile(home)).toBeNull();
  });

  test('L06: a second listener with the same state: exit 1, and the first one keeps its address', async () => {
    const { child: first, output } = await startListener(startHere);
    const { url = '' } = readListenerFile(home) ?? {};
    const child = startHere(home, LISTEN);
    expect(await ended(child)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`ListenerRunning: A listener runs already`),
    });
    expect(readListenerFile(home)?.url).toBe(url);
    first.kill('SIGTERM');
    await output;
  });

  test.each(['listener.json', 'schedules.json'])(
    'a link in the place of %s: exit 2, the link stays as it is, and nothing is started',
    async (name) => {
      writeConfig();
      const elsewhere = join(home, 'elsewhere');
      symlinkSync(elsewhere, join(home, name));
      const child = startHere(home, LISTEN);
      expect(await ended(child)).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`${name} is a symbolic link, which is not followed`),
      });
      expect([readlinkSync(join(home, name)), existsSync(elsewhere)]).toEqual([elsewhere, false]);
    },
  );

  test('without a runtime that may be rolled: exit 2, and how to name one', async () => {
    const child = startHere(home, ['listen', '--port', '0', '--endpoint-url', server.url]);
    expect(await ended(child)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('runtimes: missing; name the runtimes that may be rolled'),
    });
  });
});

test('the first line names a few of many runtimes and counts the rest', async () => {
  const ids = Array.from({ length: 300 }, (_, index) => `tenant-${index + 1}`);
  const runtimes = Object.fromEntries(ids.map((id) => [id, {}]));
  const config = { endpointUrl: server.url, runtimes };
  writeFileSync(join(home, 'steproll.config.json'), JSON.stringify(config));
  const child = startHere(home, LISTEN);
  const output = ended(child);
  const written = await saw(child, 'Listening at');
  child.kill('SIGTERM');
  await output;
  expect(written).toContain('tenant-1,');
  expect(written.match(/tenant-/g)?.length).toBeLessThan(10);
  expect(written).toMatch(/\b29\d\b/);
});
