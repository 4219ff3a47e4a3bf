import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { runHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-watching-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const scenario = parseScenario({ runtimes: [{ id: 'shop', endpoints: 1, rollSeconds: 1 }] });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

function run(...args: string[]) {
  return runHere(args, {
    STEPROLL_STATE_DIR: home,
    STEPROLL_CONFIG: join(home, 'config.json'),
    STEPROLL_PROFILES_FILE: join(home, 'profiles'),
  });
}

/** Rolls with a probe that only watches and wants this status. Answers the id of the rollout. */
async function roll(version: number, status: number): Promise<string> {
  const probe = { path: '/', hosts: ['*.localhost'], status, tries: 1, enforce: false };
  const policy = { verify: { probe }, bakeSeconds: 0, pollSeconds: 1 };
  const config = {
    endpointUrl: server.url,
    policies: { default: policy },
    runtimes: { shop: {} },
  };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const how = ['--version', `${version}`, '--yes', '-o', 'json'];
  const { code, stdout, stderr } = await run('rollout', 'start', 'shop', ...how);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout).rolloutId;
}

test('rollout show says when a gate that only watches would have failed it, and how often that was right', async () => {
  const good = await roll(2, 200);
  const shownGood = await run('rollout', 'show', good);
  expect(shownGood.stdout).toContain('probe only watches: right in 1 of 1 rollouts');
  expect(shownGood.stdout).not.toContain('would have failed');

  const wrong = await roll(3, 201);
  const shown = await run('rollout', 'show', wrong);
  expect(shown.stdout).toMatch(/Wave 1: probe .*: would have failed at \d\d:\d\d:\d\dZ, 200/);
  expect(shown.stdout).toContain('probe only watches: right in 1 of 2 rollouts');

  const { watching } = JSON.parse((await run('rollout', 'show', wrong, '-o', 'json')).stdout);
  expect(watching).toEqual([{ gate: 'probe', right: 1, of: 2 }]);
});
