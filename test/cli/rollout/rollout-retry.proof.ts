import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { policyOf } from '../../domain/examples.ts';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';

const policy = policyOf({
  bakeSeconds: 0,
  pollSeconds: 1,
  maxPollSeconds: 1,
  selection: { names: ['endpoint-01'], ids: [], exclude: [] },
});
const folder = mkdtempSync(join(tmpdir(), 'steproll-retry-'));
let local: LocalLedger;
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const runtimes = [{ id: 'shop', version: 2, endpoints: 2, rollSeconds: 0.1 }];
  const scenario = parseScenario({ runtimes });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  local = createLocalLedger();
  await local.begin({ rolloutId: 'failed', endpointUrl: server.url, policy }, 'Failed');
  await local.begin({ rolloutId: 'elsewhere', policy }, 'Failed');
  await local.begin({ rolloutId: 'good', runtimeId: 'till' }, 'Succeeded');
  const own = { runtimeId: 'group:prod', versions: { till: 3, desk: 4 } };
  await local.begin({ rolloutId: 'of-group', ...own }, 'Succeeded');
  await local.begin({ rolloutId: 'undone', runtimeId: 'till', revert: 'good' }, 'Succeeded');
  await local.begin({ rolloutId: 'goes-on', runtimeId: 'desk' });
});

afterAll(async () => {
  await server.close();
  local.remove();
  rmSync(folder, { recursive: true });
});

const retry = (...args: string[]) =>
  local.run('rollout', 'retry', ...args, '--endpoint-url', server.url);

test('a runtime that a rollout of another service has: its URL and the remedy, and no abort to type', async () => {
  const url = 'https://other.example.com';
  await local.begin({ rolloutId: 'other', runtimeId: 'twin', endpointUrl: url });
  const args = [
    'rollout',
    'start',
    'twin',
    '--version',
    '3',
    '--endpoint-url',
    server.url,
    '--yes',
  ];
  const { code, stdout, stderr } = await local.run(...args);
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(
      /holds the lease[\s\S]*at https:\/\/other\.example\.com, and has[\s\S]*STEPROLL_STATE_DIR/,
    ),
  });
  expect(stderr).not.toContain('abort');
});

describe('rollout retry', () => {
  test('is a new rollout to the same version with the same policy', async () => {
    const { code, stdout } = await retry('failed', '--yes', '-o', 'json');
    const { rolloutId, ...result } = JSON.parse(stdout);
    expect({ code, result }).toMatchObject({
      code: 0,
      result: { runtimeId: 'shop', version: 3, outcome: 'Succeeded' },
    });
    const { request, plan } = await local.ledger.read(rolloutId);
    expect(rolloutId).not.toBe('failed');
    expect(request).toMatchObject({ policy, startedBy: { kind: 'person' } });
    expect(plan?.endpoints.map(({ name }) => name)).toEqual(['endpoint-01']);
  });

  test('to a version in quarantine is refused with the hold, and begins with --again', async () => {
    const at = Date.now();
    const scope = { runtimeId: 'shop', version: 3 };
    const hold = { id: 'q1', kind: 'quarantine', scope, by: 'ann', reason: 'it leaks' };
    await local.ledger.addHold({ ...hold, at, until: at + 3_600_000 }, at);
    const { code, stdout, stderr } = await retry('failed', '--yes', '-o', 'json');
    expect({ code, result: JSON.parse(stdout) }).toMatchObject({
      code: 1,
      result: { outcome: 'Refused', reason: 'Quarantined' },
    });
    expect(stderr + stdout).toMatch(/q1[\s\S]*--again|--again[\s\S]*q1/);

    const again = await retry('failed', '--yes', '--again', '-o', 'json');
    expect({ code: again.code, result: JSON.parse(again.stdout) }).toMatchObject({
      code: 0,
      result: { version: 3, outcome: 'Succeeded' },
    });
    await local.ledger.liftHold(hold, { by: 'ann', reason: 'done', at: Date.now() });
  });

  test('keeps who asked for it and why, for the history', async () => {
    const reason = 'the image is there now';
    const { stdout } = await retry('failed', '--yes', '-o', 'id', '--reason', reason);
    const show = (...how: string[]) => local.run('rollout', 'show', stdout.trim(), ...how);
    expect((await show()).stdout).toMatch(/^Started by .+, .+Z: the image is there now$/m);
    expect(JSON.parse((await show('-o', 'json')).stdout).startedBy).toMatchObject({ reason });
    expect(await retry('failed', '--yes', '--reason', 'x'.repeat(1_001))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--reason: '),
    });
  });

  test('names the way on with the runtime, the version and the configuration that are meant', async () => {
    const at = ['--endpoint-url', server.url];
    const begin = { endpointUrl: server.url, policy } as const;
    await local.begin({ ...begin, rolloutId: 'older', desiredVersion: 1 }, 'Failed');
    const older = await local.type('n\n', 'rollout', 'retry', 'older', ...at);
    expect(older.stderr).toContain('"steproll rollout start shop --version 1 --allow-downgrade"');

    const verify = { ...policy.verify, alarms: ['errors'] };
    const gate = { ...begin, desiredVersion: 4, policy: { ...policy, verify } };
    await local.begin({ ...gate, rolloutId: 'gated' }, 'Failed');
    const gated = await local.type('n\n', 'rollout', 'retry', 'gated', ...at);
    expect(gated.stderr).toContain(`"steproll config check ${join(local.folder, 'config.json')}"`);
  });

  test('leaves alone what is on the version by now', async () => {
    await local.run('rollout', 'list');
    const { stdout } = await retry('failed', '--yes', '-o', 'json');
    const { plan } = await local.ledger.read(JSON.parse(stdout).rolloutId);
    expect(plan).toMatchObject({ endpoints: [], leftOut: [{}, {}] });
  });

  test.each([
    ['good', 1, /has succeeded; .*rollout start till --version 3/],
    ['of-group', 1, /has succeeded; .*rollout start --group prod --versions FILE/],
    ['undone', 1, /has succeeded; .*rollout revert good/],
    ['goes-on', 1, /is under way: .*rollout watch goes-on/],
    ['nobody', 2, /RolloutNotFound/],
    [
      'elsewhere',
      2,
      /"elsewhere" is of the service at https:\/\/endpoints\.example\.com, and the endpoint URL here is http:/,
    ],
  ])('of %s: exit %i, and nothing is started', async (rolloutId, code, reason) => {
    const before = await local.ledger.list({ limit: 100 });
    expect(await retry(rolloutId, '--yes')).toEqual({
      code,
      stdout: '',
      stderr: expect.stringMatching(reason),
    });
    expect(await local.ledger.list({ limit: 100 })).toEqual(before);
  });

  test('that somebody does not confirm: exit 1, and nothing is started', async () => {
    const before = await local.ledger.list({ limit: 100 });
    const args = ['rollout', 'retry', 'failed', '--endpoint-url', server.url];
    expect(await local.type('n\n', ...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Not started.\n'),
    });
    expect(await local.ledger.list({ limit: 100 })).toEqual(before);
  });

  test('is held back by a freeze that was declared since, unless somebody says --any-time', async () => {
    const config = join(folder, 'frozen.json');
    const freezes = [{ from: '2020-01-01T00:00', to: '2999-01-01T00:00', timeZone: 'UTC' }];
    writeFileSync(
      config,
      JSON.stringify({ policies: { default: { freezes, outsideWindow: 'refuse' } } }),
    );
    const again = (...more: string[]) => retry('failed', '--yes', '--config', config, ...more);
    expect(await again()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Frozen from '),
    });
    expect(await again('--any-time')).toMatchObject({ code: 0 });
  });

  test('cannot be left where it would end with its process: exit 2', async () => {
    expect(await retry('failed', '--yes', '--detach')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('steproll listen'),
    });
  });
});
