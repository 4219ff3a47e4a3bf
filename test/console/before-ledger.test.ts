import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import { recordOf } from '../domain/examples.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';

let folder: string;
let running: ConsoleProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-before-ledger-'));
  running = await startConsole(folder);
});
afterAll(async () => {
  await running.end();
  rmSync(folder, { recursive: true });
});

const ledger = () => join(folder, 'ledger.sqlite');

async function ask(path: string, said?: object) {
  const { origin, token } = running;
  const answer = await fetch(`${origin}/api/${path}`, {
    headers: { authorization: `Bearer ${token}`, origin, 'content-type': 'application/json' },
    ...(said && { method: 'POST', body: JSON.stringify(said) }),
  });
  return { status: answer.status, said: await answer.json() };
}

test('before the first rollout a console knows of none, and creates no ledger', async () => {
  expect(await ask('rollouts?id=any')).toEqual({
    status: 200,
    said: { rollouts: [], found: 0, failed: [], passed: [], refused: [], runtimes: [] },
  });
  expect((await ask('endpoints?endpoint=web')).said).toMatchObject({ endpoints: [], found: 0 });
  expect((await ask('runtimes/shop')).said).toMatchObject({ newest: [], versions: [] });
  const refused = await Promise.all([
    ask('rollouts/any'),
    ask('rollouts/any/abort', { reason: '' }),
    ask('holds/any/lift', { reason: 'over' }),
  ]);
  expect(refused.map(({ status, said }) => [status, (said as { error: string }).error])).toEqual([
    [404, 'RolloutNotFound'],
    [404, 'RolloutNotFound'],
    [409, 'NotHeld'],
  ]);
  expect(existsSync(ledger())).toBe(false);
});

test('a line that is stopped before the first rollout is kept, and shown', async () => {
  const until = { seconds: 3_600, reason: 'storm' };
  const { status } = await ask('holds', { kinds: ['freeze'], ...until });
  expect(status).toBe(200);
  const kept = openSqliteLedger(ledger());
  const holds = await kept.ledger.listHolds();
  kept.end();
  expect(holds).toMatchObject([{ kind: 'freeze', reason: 'storm' }]);
});

test('a rollout that is recorded later is on the pages of the same console', async () => {
  const other = openSqliteLedger(ledger());
  const now = Date.now();
  const request = { ...recordOf().request, rolloutId: 'first', runtimeId: 'shop' };
  await other.ledger.open(request, now, now + 60_000);
  other.end();
  const told = await ask('rollouts/first');
  expect(told).toMatchObject({ status: 200, said: { report: { runtimeId: 'shop' } } });
});

test('once it is gone, the console says so, and does nothing, whatever it is asked', async () => {
  const parts = readdirSync(folder).filter((name) => name.startsWith('ledger.sqlite'));
  const away = join(folder, 'away');
  mkdirSync(away);
  for (const part of parts) renameSync(join(folder, part), join(away, part));

  const until = { seconds: 3_600, reason: 'storm' };
  const answers = await Promise.all([
    ask('rollouts?id=any'),
    ask('runtimes/shop'),
    ask('rollouts/first'),
    ask('endpoints?endpoint=web'),
    ask('holds', { kinds: ['freeze'], ...until }),
    ask('holds/any/lift', { reason: 'over' }),
    ...['abort', 'retry', 'revert', 'resume'].map((act) =>
      ask(`rollouts/first/${act}`, { reason: 'over' }),
    ),
  ]);
  const gone = expect.stringMatching(/^The ledger .* is gone: .* nothing is done\. Put it back/);
  for (const answer of answers) {
    expect(answer).toEqual({ status: 503, said: { error: 'LedgerUnavailable', message: gone } });
  }
  expect(existsSync(ledger())).toBe(false);

  for (const part of parts) renameSync(join(away, part), join(folder, part));
  expect(await ask('rollouts/first')).toMatchObject({ status: 200 });
});
