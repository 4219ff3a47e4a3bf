import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import type {
  ComingStory,
  Done,
  DriftStory,
  OpenRollouts,
  PastRollouts,
  ToldRollout,
} from '../../lib/console/desk.ts';
import { type Looked, learn, lookOf, NOTHING_KNOWN } from '../../lib/console/server/looks.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { createLocalLedger, type LocalLedger } from '../cli/local-ledger.ts';
import { runHere } from '../cli/run-here.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';

const RUNTIMES = ['shop', 'cart', 'pay'];

let local: LocalLedger;
let server: Awaited<ReturnType<typeof startEndpointServer>>;
let running: ConsoleProcess;
let variables: Record<string, string>;
let origin: string;
let authorization: string;

beforeAll(async () => {
  const scenario = parseScenario({
    runtimes: RUNTIMES.map((id) => ({ id, version: 1, endpoints: 3, rollSeconds: 0.1 })),
  });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  local = createLocalLedger();
  const config = join(local.folder, 'a config.json');
  writeFileSync(
    config,
    JSON.stringify({
      endpointUrl: server.url,
      policies: {
        default: { bakeSeconds: 0, pollSeconds: 1, maxPollSeconds: 1, outsideWindow: 'refuse' },
      },
      triggers: {
        schedules: [{ name: 'nightly', runtimeId: 'shop', cron: '0 3 * * ? *', version: 9 }],
      },
      runtimes: Object.fromEntries(RUNTIMES.map((id) => [id, {}])),
    }),
  );
  variables = { STEPROLL_STATE_DIR: local.folder, STEPROLL_CONFIG: config };
  running = await startConsole(local.folder, [], variables);
  ({ origin } = running);
  authorization = `Bearer ${running.token}`;
});
afterAll(async () => {
  await running.end();
  await server.close();
  local.remove();
});

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(`${origin}/api/${path}`, { headers: { authorization } });
  return (await answer.json()) as T;
}

async function post(path: string, said: object) {
  const answer = await fetch(`${origin}/api/${path}`, {
    method: 'POST',
    headers: { authorization, origin, 'content-type': 'application/json' },
    body: JSON.stringify(said),
  });
  const { message, rolloutId, error } = (await answer.json()) as Done & { error?: string };
  return { status: answer.status, message, rolloutId: rolloutId ?? '', error };
}

async function roll(runtime: string, version: number): Promise<string> {
  const args = ['rollout', 'start', runtime, '--version', `${version}`, '--yes', '-o', 'json'];
  await runHere(args, variables);
  const [newest] = await local.ledger.list({ runtimeId: runtime, limit: 1 });
  return newest?.rolloutId ?? '';
}

async function look(): Promise<OpenRollouts> {
  const answer = await fetch(`${origin}/api/look`, { headers: { authorization } });
  const seen = lookOf(learn(NOTHING_KNOWN, (await answer.json()) as Looked));
  if (seen === null) throw new Error('There is no look.');
  return seen;
}

async function endOf(rolloutId: string): Promise<ToldRollout> {
  for (;;) {
    const story = await get<ToldRollout>(`rollouts/${rolloutId}`);
    if (story.report.outcome !== null) return story;
    await systemClock.sleep(100);
  }
}

test('what will come has the schedules of the configuration', async () => {
  const { at, coming } = await get<ComingStory>('coming');
  const nightly = coming.find(({ key }) => key === 'schedule nightly');
  expect(nightly?.says).toMatch(/^shop, cron\(0 3 \* \* \? \*\): next at .* 03:00Z/);
  expect(nightly?.moments).toMatchObject([{ what: 'starts a rollout', isForeseen: false }]);
  expect(nightly?.moments[0]?.at).toBeGreaterThan(at);
});

describe('a revert in the console', () => {
  test('says before how many endpoints go back and where to, takes them back, and is offered only once', async () => {
    const rolloutId = await roll('shop', 2);
    const { revert } = await endOf(rolloutId);
    expect(revert).toMatchObject({
      says: expect.arrayContaining([
        expect.stringMatching(/^3 endpoints go back to version 1: endpoint-01, .*\.$/),
        expect.stringMatching(/Ctrl-C there aborts it/),
      ]),
    });
    const started = await post(`rollouts/${rolloutId}/revert`, { reason: 'errors in checkout' });
    expect(started.status).toBe(200);
    const { report } = await endOf(started.rolloutId);
    expect(report).toMatchObject({
      revert: rolloutId,
      outcome: 'Succeeded',
      startedBy: { reason: 'errors in checkout' },
    });
    const plan = report.endpoints.map(({ fate }) => fate);
    expect(plan).toEqual(['live', 'live', 'live']);
  });
});

test('the drift of a runtime is what steproll drift says of it', async () => {
  const { outcome } = (await endOf(await roll('cart', 2))).report;
  expect(outcome).toBe('Succeeded');
  const command = ['agent', 'runtime', 'endpoint', 'update', 'cart', 'endpoint-02'];
  await runHere([...command, '--version', '1', '--yes'], variables);
  const told = await get<DriftStory>('runtimes/cart/drift');
  expect(told.hasDrifted).toBe(true);
  expect(told.says.join()).toMatch(/^cart: 1 of 3 endpoints are not on version 2, .*endpoint-02: /);
  expect(told.commands).toEqual(['steproll rollout start cart --version 2']);
  const { stdout } = await runHere(['drift', 'cart'], variables);
  expect(stdout.split('\n')[0]).toBe(told.says[0]);
  expect(await get<DriftStory>('runtimes/pay/drift')).toMatchObject({ hasDrifted: false });
});

describe('holds in the console', () => {
  const asked = { kinds: ['freeze', 'pause'], seconds: 3_600, reason: 'checkout is down' };

  test('the stop of the line keeps every start back, stands above everything, and one lift ends it', async () => {
    const { status, message } = await post('holds', asked);
    expect({ status, message }).toMatchObject({
      status: 200,
      message: expect.stringMatching(/^Added the freeze and pause of everything until /),
    });
    const { holds } = await look();
    expect(holds).toMatchObject([
      { kinds: ['freeze', 'pause'], on: 'everything', reason: 'checkout is down', isOwn: true },
    ]);
    const listed = JSON.parse((await runHere(['hold', 'list', '-o', 'json'], variables)).stdout);
    expect(new Set(listed.map(({ id }: { id: string }) => id))).toEqual(new Set([holds[0]?.id]));
    expect(listed.map(({ kind }: { kind: string }) => kind)).toEqual(['freeze', 'pause']);
    const args = ['rollout', 'start', 'cart', '--version', '2', '--yes'];
    expect((await runHere(args, variables)).stdout).toContain('of everything until');

    const lifted = await post(`holds/${holds[0]?.id}/lift`, { reason: 'it is up again' });
    expect(lifted.message).toBe('Lifted the freeze and pause of everything.');
    expect((await look()).holds).toEqual([]);
  });

  test('of another person are lifted only by somebody who says so', async () => {
    const at = Date.now();
    const hold = { id: 'anns', kind: 'freeze', scope: {}, by: 'ann', reason: 'x', at };
    await local.ledger.addHold({ ...hold, until: at + 60_000 }, at);
    expect(await post('holds/anns/lift', { reason: 'y' })).toMatchObject({
      status: 409,
      error: 'Held',
    });
    expect((await post('holds/anns/lift', { reason: 'y', isForced: true })).status).toBe(200);
  });

  test('that no person has added are everybody’s: the page asks nobody to insist, and they are lifted', async () => {
    const at = Date.now();
    const scope = { runtimeId: 'cart', version: 9 };
    const hold = { id: 'by-end', kind: 'quarantine', scope, by: 'steproll', reason: 'x', at };
    await local.ledger.addHold({ ...hold, until: at + 60_000, after: 'some-rollout' }, at);
    const { holds } = await look();
    expect(holds.find(({ id }) => id === 'by-end')?.isOwn).toBe(true);
    expect((await post('holds/by-end/lift', { reason: 'mended' })).status).toBe(200);
  });

  test.each([
    [{ ...asked, reason: ' ' }, 'reason'],
    [{ ...asked, seconds: 8 * 24 * 3_600 }, 'seconds'],
    [{ ...asked, kinds: ['quarantine'] }, 'version'],
    [{ ...asked, kinds: ['freeze'], rolloutId: 'x' }, 'kinds'],
  ])('are refused with what is wrong: %j', async (said, what) => {
    const { status, message } = await post('holds', said);
    expect({ status, message }).toEqual({ status: 400, message: expect.stringContaining(what) });
  });

  test('a quarantine makes a retry that could not work be no offer', async () => {
    const request = { runtimeId: 'pay', endpointUrl: server.url, desiredVersion: 9 };
    await local.begin({ ...request, rolloutId: 'bad' }, 'Failed');
    expect((await get<ToldRollout>('rollouts/bad')).retry).toHaveProperty('says');
    const quarantine = { kinds: ['quarantine'], runtimeId: 'pay', version: 9 };
    await post('holds', { ...quarantine, seconds: 3_600, reason: 'leaks memory' });
    const story = await get<ToldRollout>('rollouts/bad');
    expect(story.retry).toMatchObject({ whyNot: expect.stringContaining('leaks memory') });
    expect(story.mayQuarantine).toBe(false);
  });
});

test('a retry is no offer once a higher version has succeeded', async () => {
  const request = { runtimeId: 'shop', endpointUrl: server.url };
  await local.begin({ ...request, rolloutId: 'old', desiredVersion: 5 }, 'Failed');
  await local.begin({ ...request, rolloutId: 'new', desiredVersion: 6 }, 'Succeeded');
  expect((await get<ToldRollout>('rollouts/old')).retry).toMatchObject({
    whyNot: expect.stringContaining('Version 6 was rolled since then'),
  });
});

describe('the history', () => {
  test('begins with what has ended last, and a group has its runtimes below it', async () => {
    const of = { endpointUrl: server.url };
    await local.begin({ ...of, rolloutId: 'long', runtimeId: 'long' });
    await local.begin({ ...of, rolloutId: 'g', runtimeId: 'group:eu' }, 'Failed');
    await local.begin({ ...of, rolloutId: 'g-1', runtimeId: 'eu-1', parent: 'g' }, 'Failed');
    const outcome = { outcome: 'Failed', cleanup: 'none', reason: 'X', message: 'X' } as const;
    await local.ledger.close('long', outcome, Date.now() + 600_000);
    const { rollouts, failed } = await get<PastRollouts>('rollouts');
    expect(rollouts.slice(0, 3).map(({ rolloutId }) => rolloutId)).toEqual(['long', 'g', 'g-1']);
    expect(failed[0]?.rolloutId).toBe('long');
  });

  test('says of what failed which rollout tried the same again, both ways', async () => {
    const of = { endpointUrl: server.url, runtimeId: 'twice', desiredVersion: 4 };
    await local.begin({ ...of, rolloutId: 'first' }, 'Failed');
    await systemClock.sleep(5);
    await local.begin({ ...of, rolloutId: 'second' }, 'Succeeded');
    const { rollouts } = await get<PastRollouts>('rollouts?runtime=twice');
    expect(rollouts.find(({ rolloutId }) => rolloutId === 'first')?.again).toMatchObject({
      rolloutId: 'second',
      outcome: 'Succeeded',
    });
    expect((await get<ToldRollout>('rollouts/second')).before).toMatchObject({
      rolloutId: 'first',
    });
    expect((await get<ToldRollout>('rollouts/first')).after).toMatchObject({ rolloutId: 'second' });
  });
});

test('commands are whole: they name what the console was started with, and no secret', async () => {
  const { shell } = await look();
  expect(shell).toContain(`STEPROLL_STATE_DIR=${local.folder} `);
  expect(shell).toContain(`STEPROLL_CONFIG='${join(local.folder, 'a config.json')}' `);
  expect(shell).not.toContain('STEPROLL_TOKEN');
});
