import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { closed, ended, killPrograms, saw, startProgram } from '../program-process.ts';
import { startHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-stalled-'));
const other = mkdtempSync(join(tmpdir(), 'steproll-bereft-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;
let bereft: ReturnType<typeof startAndLoseLedger>;

beforeAll(async () => {
  const runtimes = ['told', 'woken', 'killed', 'resumed', 'handed-on', 'bereft'].map((id) => ({
    ...{ id, endpoints: 2 },
    rollSeconds: id === 'handed-on' ? 5 : 1,
  }));
  const scenario = parseScenario({ runtimes });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  bereft = startAndLoseLedger();
  bereft.catch(() => undefined);
});

afterAll(async () => {
  killPrograms();
  await server.close();
  for (const folder of [home, other]) rmSync(folder, { recursive: true });
});

function startOf(runtimeId: string): string[] {
  const how = ['--version', '2', '--bake', '0', '--poll', '1', '--yes', '-o', 'json'];
  return ['rollout', 'start', runtimeId, ...how, '--endpoint-url', server.url];
}

/** A rollout whose ledger is taken away after its first roll. It is patient, so it goes on beside the others. */
async function startAndLoseLedger() {
  const child = startProgram(other, [
    ...['rollout', 'start', 'bereft', '--version', '2', '--bake', '0', '--poll', '1', '--yes'],
    ...['--endpoint-url', server.url],
  ]);
  await saw(child, 'endpoint-01 rolls to version 2');
  renameSync(join(other, 'ledger.sqlite'), join(other, 'away.sqlite'));
  return ended(child);
}

function run(...args: string[]) {
  return ended(startHere(home, args));
}

async function show(rolloutId: string) {
  const { stdout } = await run('rollout', 'show', rolloutId, '-o', 'json');
  return JSON.parse(stdout);
}

/**
 * Starts a rollout whose process stands still after its first roll, for longer than its lease. What would
 * take minutes is written into the ledger.
 */
async function startAndStall(runtimeId: string) {
  const child = startProgram(home, startOf(runtimeId));
  const written = await saw(child, 'rolls to version 2');
  const database = new DatabaseSync(join(home, 'ledger.sqlite'), { timeout: 0 });
  while (!standsStill(child, database)) child.kill('SIGCONT');
  database.close();
  return { child, rolloutId: /^Rollout (\S+)\n/.exec(written)?.[1] ?? '' };
}

/** Not in the midst of a transaction, which would keep everybody out. */
function standsStill(child: ChildProcess, database: DatabaseSync): boolean {
  child.kill('SIGSTOP');
  try {
    database.exec("UPDATE field SET value = 0 WHERE name = 'leaseUntil'");
    return true;
  } catch {
    return false;
  }
}

const TAKEN_OVER = { outcome: 'Errored', reason: 'LeaseLost', cleanup: 'incomplete' };

test('a rollout that bakes for hours does not wait for its next look to hear an abort', async () => {
  const start = startHere(
    home,
    startOf('told').map((word) => (word === '0' ? '12h' : word)),
  );
  const [, rolloutId = ''] = /^Rollout (\S+)\n/.exec(await saw(start, 'baking')) ?? [];
  expect(await run('rollout', 'abort', rolloutId, '--yes')).toMatchObject({ code: 0 });
  expect(await ended(start)).toMatchObject({ code: 130 });
  const database = new DatabaseSync(join(home, 'ledger.sqlite'), { readOnly: true });
  const stored = database.prepare(
    "SELECT value AS progress FROM field WHERE name = 'progress' AND pk LIKE '%' || ?",
  );
  const { progress } = stored.get(rolloutId) as { progress: string };
  database.close();
  // Its next look would have come after a minute of the bake.
  expect(Number(/"bakedMs":(\d+)/.exec(progress)?.[1])).toBeLessThan(60_000);
});

test('X03: who stood still for longer than its lease has ended, and says when it wakes what the ledger says', async () => {
  const { child, rolloutId } = await startAndStall('woken');
  const other = await run(...startOf('woken'));
  expect({ code: other.code, result: JSON.parse(other.stdout) }).toMatchObject({
    code: 0,
    result: { outcome: 'Succeeded' },
  });
  const shown = await show(rolloutId);
  expect(shown).toMatchObject(TAKEN_OVER);

  child.kill('SIGCONT');
  const { code, stdout } = await ended(child);
  const { outcome, reason, cleanup, message } = JSON.parse(stdout);
  expect({ code, outcome, reason, cleanup }).toEqual({ code: 3, ...TAKEN_OVER });
  expect(message).toBe(shown.message);
  expect(await show(rolloutId)).toEqual(shown);
});

test('X03: killed while it stands still, it is over all the same: resume and abort say so, retry goes', async () => {
  const { child, rolloutId } = await startAndStall('killed');
  await run(...startOf('killed'));
  child.kill('SIGKILL');
  await closed(child);

  expect(await show(rolloutId)).toMatchObject(TAKEN_OVER);
  expect(await run('rollout', 'resume', rolloutId, '--endpoint-url', server.url)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has ended already, as Errored: Its process died or stood'),
  });
  expect(await run('rollout', 'abort', rolloutId, '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has ended already'),
  });
  const again = ['rollout', 'retry', rolloutId, '--yes', '--endpoint-url', server.url];
  expect(await run(...again)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Succeeded'),
  });
});

test('X03: its rollout was resumed and has succeeded: that is what it says, exit 0', async () => {
  const { child, rolloutId } = await startAndStall('resumed');
  const resumed = await run('rollout', 'resume', rolloutId, '--endpoint-url', server.url);
  expect(resumed.code).toBe(0);

  child.kill('SIGCONT');
  const { code, stdout } = await ended(child);
  expect({ code, result: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    result: { rolloutId, outcome: 'Succeeded', reason: 'Converged' },
  });
});

test('X03: its rollout goes on in another process: it says so, and how it ends there', async () => {
  const { child, rolloutId } = await startAndStall('handed-on');
  const other = startHere(home, [
    ...['rollout', 'resume', rolloutId, '--endpoint-url', server.url],
  ]);
  await saw(other, 'Wave 1');
  const first = ended(child);
  child.kill('SIGCONT');
  const { code, stdout, stderr } = await first;

  expect(stderr).toContain('Another process has this rollout, and goes on with it.');
  expect({ code, result: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    result: { rolloutId, outcome: 'Succeeded' },
  });
  const { outcome, message } = await show(rolloutId);
  expect(JSON.parse(stdout)).toMatchObject({ outcome, message });
});

test('L05: who finds that the ledger was taken away writes nothing more, and ends with exit 3', async () => {
  const { code, stdout, stderr } = await bereft;

  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain(
    `LedgerUnavailable: The ledger ${join(other, 'ledger.sqlite')} was moved away or deleted while it was in use: nothing more is done without it.`,
  );
  expect(stderr).toMatch(/trying again\. The ledger .* was moved away or deleted/);
  expect(stderr).toMatch(/\n {2}steproll rollout resume \S+\n$/);
  const list = ['agent', 'runtime', 'endpoint', 'list', 'bereft', '-o', 'json'];
  const listed = await run(...list, '--endpoint-url', server.url);
  expect(JSON.parse(listed.stdout).endpoints).toMatchObject([
    { targetVersion: 2 },
    { targetVersion: 1 },
  ]);
});
