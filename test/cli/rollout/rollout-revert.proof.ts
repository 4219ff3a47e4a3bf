import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';

const FLEET = [
  { name: 'a', version: 3 },
  { name: 'b', version: 4 },
];
let local: LocalLedger;
let config: string;
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const scenario = parseScenario({
    runtimes: [{ id: 'shop', rollSeconds: 0.1, endpoints: FLEET }],
  });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  local = createLocalLedger();
  config = join(local.folder, 'quick.json');
  const policy = { bakeSeconds: 0, pollSeconds: 1, maxPollSeconds: 1, waves: [{ percent: 100 }] };
  writeFileSync(
    config,
    JSON.stringify({ policies: { default: { ...policy, maxUnavailable: { percent: 100 } } } }),
  );
  await local.begin({ rolloutId: 'goes-on', runtimeId: 'desk' });
  await local.begin({ rolloutId: 'idle', runtimeId: 'till', endpointUrl: server.url }, 'Aborted');
});

afterAll(async () => {
  await server.close();
  local.remove();
});

const here = () => ['--endpoint-url', server.url, '--config', config];
const at = (...args: string[]) => local.run(...args, ...here());
const revert = (...args: string[]) => at('rollout', 'revert', ...args);

async function start(version: string): Promise<string> {
  const how = ['--version', version, '--yes', '-o', 'id'];
  const { stdout } = await at('rollout', 'start', 'shop', ...how);
  return stdout.trim();
}

async function live(): Promise<unknown> {
  const query = 'endpoints[].liveVersion';
  const args = ['agent', 'runtime', 'endpoint', 'list', 'shop', '-o', 'json', '--query', query];
  return JSON.parse((await at(...args)).stdout);
}

test('a rollout that has succeeded is undone: each endpoint has the version that it had, and that is not undone', async () => {
  const good = await start('9');
  expect(await live()).toEqual([9, 9]);
  const asked = await local.type('n\n', 'rollout', 'revert', good, ...here());
  expect(asked.code).toBe(1);
  expect(asked.stderr.replaceAll(/\s+/g, ' ')).toContain(
    `shop to the versions before rollout "${good}", 2 of 2 endpoints in 1 wave`,
  );
  expect(asked.stderr).not.toContain('allowDowngrade');
  expect(await live()).toEqual([9, 9]);

  const reason = 'errors in checkout';
  const undone = await revert(good, '--yes', '-o', 'json', '--reason', reason);
  const { rolloutId, ...result } = JSON.parse(undone.stdout);
  expect({ code: undone.code, result }).toMatchObject({
    code: 0,
    result: { runtimeId: 'shop', version: 3, outcome: 'Succeeded' },
  });
  expect(await live()).toEqual([3, 4]);
  const shown = await local.run('rollout', 'show', rolloutId, '-o', 'json');
  expect(JSON.parse(shown.stdout)).toMatchObject({
    revert: good,
    version: 3,
    startedBy: { reason },
  });

  // To undo that would roll forward with no gate.
  const forward = await revert(rolloutId, '--yes');
  expect(forward).toMatchObject({ code: 1, stderr: expect.stringContaining('NothingToRevert') });
  expect(await live()).toEqual([3, 4]);
});

test('of an older rollout: the newer ones that ran since are named before the question, and with --yes', async () => {
  const older = await start('10');
  const newer = await start('11');
  const idle = await start('11');
  const note = `Since then, a newer rollout has run: shop to version 11 (Succeeded, ${newer}). What has another version since then is left alone.`;

  const asked = await local.type('n\n', 'rollout', 'revert', older, ...here());
  const shown = asked.stderr.replaceAll(/\s+/g, ' ');
  expect(shown).toMatch(/Plan.*Since then.*Start this rollout at/);
  expect(shown).toContain(note);
  expect(shown).not.toContain(idle);
  const done = await revert(older, '--yes');
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
  expect(await live()).toEqual([11, 11]);

  const last = await local.type('n\n', 'rollout', 'revert', newer, ...here());
  expect(last.stderr).not.toContain('Since then');
});

test.each([
  ['goes-on', 1, /is under way: "steproll rollout abort goes-on --on-abort roll-back" ends it/],
  ['idle', 1, /"idle" has rolled nothing whose version before is known/],
  ['nobody', 2, /RolloutNotFound/],
])('of %s: exit %i, and nothing is started', async (rolloutId, code, reason) => {
  const before = await local.ledger.list({ limit: 100 });
  expect(await revert(rolloutId, '--yes')).toEqual({
    code,
    stdout: '',
    stderr: expect.stringMatching(reason),
  });
  expect(await local.ledger.list({ limit: 100 })).toEqual(before);
});
