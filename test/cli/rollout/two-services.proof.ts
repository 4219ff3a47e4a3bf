import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { runHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-two-services-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const scenario = parseScenario({ runtimes: [{ id: 'shop', endpoints: 1, rollSeconds: 0.1 }] });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

function start(endpointUrl: string, version: number) {
  const how = ['--bake', '0', '--poll', '1', '--yes', '--endpoint-url', endpointUrl];
  const args = ['rollout', 'start', 'shop', '--version', `${version}`, ...how];
  return runHere(args, { STEPROLL_STATE_DIR: home, STEPROLL_PROFILES_FILE: join(home, 'none') });
}

test('a start says that the ledger knows the runtime at another service, and rolls nevertheless', async () => {
  const other = server.url.replace('127.0.0.1', 'localhost');
  const starts = [];
  for (const [version, url] of [server.url, server.url, other, other].entries()) {
    const { code, stderr } = await start(url, version + 2);
    starts.push([code, stderr.includes('STEPROLL_STATE_DIR')]);
  }
  expect(starts).toEqual([
    [0, false],
    [0, false],
    [0, true],
    [0, false],
  ]);
});
