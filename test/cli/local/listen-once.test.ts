import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { publishToListener } from '../../../lib/adapters/listener/publish-to-listener.ts';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { ended, saw } from '../program-process.ts';
import { startHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-once-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  server = await startEndpointServer({
    scenario: parseScenario({ runtimes: [{ id: 'quick', endpoints: 2, rollSeconds: 0.1 }] }),
    port: 0,
    clock: systemClock,
  });
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

test('E02: listen rolls a release once that is sent three times, and says which rollout did', async () => {
  const config = {
    endpointUrl: server.url,
    policies: { default: { waves: [{ percent: 100 }], bakeSeconds: 0, pollSeconds: 1 } },
    runtimes: { quick: {} },
    triggers: { once: 'releaseId' },
  };
  writeFileSync(join(home, 'steproll.config.json'), JSON.stringify(config));
  const child = startHere(home, ['listen', '--config', 'steproll.config.json', '--port', '0']);
  const output = ended(child);
  await saw(child, 'Listening at');
  const isOver = saw(child, 'Rollout Ended');
  const publish = () =>
    publishToListener(home, {
      source: 'steproll.release',
      'detail-type': 'Release Published',
      detail: { runtimeId: 'quick', version: 2, releaseId: 'build-2' },
    });
  const first = await publish();
  const second = await publish();
  await isOver;
  const third = await publish();
  child.kill('SIGTERM');

  const { stdout, stderr } = await output;
  expect(first.result).toBe('started');
  expect([second, third]).toEqual([
    { rolloutId: first.rolloutId, result: 'duplicate' },
    { rolloutId: first.rolloutId, result: 'duplicate' },
  ]);
  expect(stdout.match(/Rollout Ended/g)).toHaveLength(1);
  const said = `already rolled by rollout ${first.rolloutId}`;
  expect(stderr.split(said)).toHaveLength(3);
});
