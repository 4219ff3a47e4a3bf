import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { ended } from './program-process.ts';
import { startHere } from './run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-pins-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

const run = (...args: string[]) => ended(startHere(home, args));
const atService = (...args: string[]) => run(...args, '--endpoint-url', server.url);
const ADD = ['hold', 'add', 'pin', 'shop', '--reason', 'debugging', '--yes'];
const START = ['rollout', 'start', 'shop', '--version', '2', '--yes', '--bake', '0', '--poll', '1'];
const ENDPOINT = ['agent', 'runtime', 'endpoint'];

beforeAll(async () => {
  const fleet = { id: 'shop', version: 1, endpoints: 3, rollSeconds: 0.1 };
  const scenario = parseScenario({ runtimes: [fleet] });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
});

afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

test.each([
  ['an end', ['--endpoint', 'endpoint-01', '--until', '2h'], '--until: leave it out'],
  ['no endpoint', [], '--endpoint: missing'],
  ['a version', ['--endpoint', 'endpoint-01', '--version', '2'], '--version: only a quarantine'],
])('refuses a pin with %s', async (_, args, says) => {
  const { code, stderr } = await atService(...ADD, ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});

test('refuses a pin of everything, of a group, and of an endpoint that its runtime does not have', async () => {
  const why = ['--reason', 'x', '--yes', '--endpoint', 'endpoint-01'];
  expect(await atService('hold', 'add', 'pin', ...why)).toMatchObject({ code: 2 });
  const ofGroup = await atService('hold', 'add', 'pin', 'group:prod', ...why);
  expect(ofGroup).toMatchObject({ code: 2, stderr: expect.stringContaining('of one runtime') });
  const ofNone = await atService(...ADD, '--endpoint', 'nobody');
  expect(ofNone).toMatchObject({ code: 1, stderr: expect.stringContaining('"nobody"') });
  const freeze = await run('hold', 'add', 'freeze', 'shop', '--reason', 'x', '--yes');
  expect(freeze).toMatchObject({ code: 2, stderr: expect.stringContaining('--until: missing') });
});

test('a pin is added by a name, listed, passed once, asked about, and lifted', async () => {
  const added = await atService(...ADD, '--endpoint', 'endpoint-02', '-o', 'json');
  expect(added.code).toBe(0);
  const { id, endpointId, until, lifted } = JSON.parse(added.stdout);
  expect([until, lifted]).toEqual([null, null]);
  const listed = await run('hold', 'list');
  expect(listed.stdout).toContain(id);
  expect(endpointId).not.toBe('endpoint-02');
  expect(listed.stdout).toContain('endpoint-02 of');

  const plan = await atService('rollout', 'plan', 'shop', '--version', '2');
  expect(plan.stdout).toContain('2 of 3 endpoints');
  expect(plan.stdout).toMatch(/endpoint-02: pinned by \S+: debugging/);
  expect(plan.stdout).toContain(`--unpin ${id}`);
  const passed = await atService('rollout', 'plan', 'shop', '--version', '2', '--unpin', id);
  expect(passed.stdout).toContain('3 of 3 endpoints');

  const rolled = await atService(...START);
  expect(rolled).toMatchObject({ code: 0 });
  const versions = async () => {
    const { stdout } = await atService(...ENDPOINT, 'list', 'shop', '--all', '-o', 'json');
    const { endpoints } = JSON.parse(stdout) as { endpoints: { liveVersion: number }[] };
    return endpoints.map(({ liveVersion }) => liveVersion);
  };
  expect(await versions()).toEqual([2, 1, 2]);
  const drift = await atService('drift', 'shop');
  expect(drift).toMatchObject({ code: 0, stdout: expect.stringContaining('1 pinned besides') });

  const unknown = await atService(...START, '--unpin', 'nope');
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining(`${id} (`) });
  for (const [write, ...more] of [['update', '--version', '2'], ['stop']] as const) {
    const { code, stderr } = await atService(
      ...ENDPOINT,
      write,
      'shop',
      'endpoint-02',
      ...more,
      '--yes',
    );
    expect(code).toBe(1);
    const command = ['steproll', ...ENDPOINT, write, 'shop', 'endpoint-02', ...more, '--unpin', id];
    expect(stderr).toContain(command.join(' '));
  }
  expect(await versions()).toEqual([2, 1, 2]);
  const update = [...ENDPOINT, 'update', 'shop', 'endpoint-02', '--version', '3', '--yes'];
  expect(await atService(...update, '--unpin', id)).toMatchObject({ code: 0 });

  const lift = await run('hold', 'lift', id, '--reason', 'done', '--yes');
  expect(lift).toMatchObject({ code: 0, stdout: expect.stringContaining('Lifted the pin') });
  expect((await run('hold', 'list')).stdout).toBe('');
  expect((await run('hold', 'list', '-o', 'json')).stdout).toContain(id);
});

test('an endpoint that no list shows is pinned by its id', async () => {
  const added = await run(...ADD, '--endpoint', 'id:ep-9', '-o', 'json');
  expect(JSON.parse(added.stdout)).toMatchObject({ endpointId: 'ep-9', kind: 'pin' });
  const elsewhere = await run('rollout', 'pause', 'nobody', '--reason', 'x', '--yes');
  expect(elsewhere.code).toBe(2);
});

test('where the ledger cannot be read nothing is sent, and the command that sends it all the same is named', async () => {
  const broken = mkdtempSync(join(home, 'broken-'));
  writeFileSync(join(broken, 'ledger.sqlite'), 'rubbish', { mode: 0o600 });
  const stop = (...more: string[]) => {
    const what = [...ENDPOINT, 'stop', 'shop', 'endpoint-03', '--yes', ...more];
    return ended(startHere(broken, [...what, '--endpoint-url', server.url]));
  };
  const kept = await stop();
  expect([kept.code, kept.stderr]).toEqual([3, expect.stringContaining('nothing was sent')]);
  expect(kept.stderr).toContain('stop shop endpoint-03 --unpin UNREAD');
  expect((await stop('--unpin', 'UNREAD')).code).toBe(0);
});
