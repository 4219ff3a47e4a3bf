import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import type { RehearsalStory } from '../../lib/console/desk.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { createLocalLedger, type LocalLedger } from '../cli/local-ledger.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';

let local: LocalLedger;
let server: Awaited<ReturnType<typeof startEndpointServer>>;
let running: ConsoleProcess;
let origin: string;
let authorization: string;

beforeAll(async () => {
  const runtimes = ['shop', 'cart', 'pay'].map((id) => ({ id, version: 2, endpoints: 2 }));
  const scenario = parseScenario({ runtimes });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  local = createLocalLedger();
  const config = join(local.folder, 'held.json');
  writeFileSync(config, JSON.stringify({ endpointUrl: server.url, runtimes: { shop: {} } }));
  await local.begin({ rolloutId: 'past', runtimeId: 'cart' }, 'Failed');
  running = await startConsole(local.folder, ['--config', config]);
  ({ origin } = running);
  authorization = `Bearer ${running.token}`;
});
afterAll(async () => {
  await running.end();
  await server.close();
  local.remove();
});

async function post<T>(path: string, said: object): Promise<T> {
  const answer = await fetch(`${origin}/api/${path}`, {
    method: 'POST',
    headers: { authorization, origin, 'content-type': 'application/json' },
    body: JSON.stringify(said),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as T;
}

const rehearse = (runtime: string, version: string) =>
  post<RehearsalStory>('rehearsals', { runtime, version });

test('a rehearsal says first what holds a real one, and goes on', async () => {
  const hold = { seconds: 3_600, reason: 'closing' };
  await post('holds', { ...hold, kinds: ['freeze'], runtimeId: 'shop' });
  await post('holds', { ...hold, kinds: ['quarantine'], runtimeId: 'cart', version: 3 });

  const frozen = await rehearse('shop', '3');
  expect(frozen.held).toEqual([expect.stringMatching(/^Held by the freeze \w+ of runtime shop /)]);
  expect(frozen.end[0]).toContain('✔ Succeeded');
  expect((await rehearse('cart', '3')).held).toEqual([
    expect.stringContaining('of version 3 of runtime cart'),
  ]);

  expect((await rehearse('cart', '4')).held).toEqual([]);
  expect((await rehearse('pay', '3')).held).toEqual([]);
});

test('the runtimes of the configuration and of past rollouts are known to it, and no group', async () => {
  await local.begin({ rolloutId: 'of-group', runtimeId: 'group:all' }, 'Failed');
  const answer = await fetch(`${origin}/api/rehearsals`, { headers: { authorization } });
  expect(await answer.json()).toEqual({ runtimes: ['cart', 'shop'] });
});
