import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { ended } from './program-process.ts';
import { startHere } from './run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-drift-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

const run = (...args: string[]) => ended(startHere(home, [...args, '--endpoint-url', server.url]));

beforeAll(async () => {
  const fleet = { id: 'shop', version: 1, endpoints: 3, rollSeconds: 0.1 };
  const scenario = parseScenario({ runtimes: [fleet, { ...fleet, id: 'cart' }] });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  const before = await run('drift', 'shop');
  expect(before).toMatchObject({ code: 0, stdout: '' });
  expect(before.stderr).toContain('No rollout is recorded here');
  const start = ['rollout', 'start', 'shop', '--version', '2', '--yes', '--exclude', 'endpoint-01'];
  const rolled = await run(...start, '--waves', '100%', '--bake', '0', '--poll', '1');
  expect([rolled.code, rolled.stderr]).toEqual([0, expect.anything()]);
});

afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

test('tells what has left the version of the last good rollout, and what came later', async () => {
  const good = await run('drift');
  expect(good.stdout).toMatch(
    /^shop: nothing has drifted of 2 endpoints \(the newest rollout is \S+ on /,
  );
  expect(good.code).toBe(0);

  const endpoint = ['agent', 'runtime', 'endpoint'];
  await run(...endpoint, 'update', 'shop', 'endpoint-02', '--version', '1', '--yes');
  await run(...endpoint, 'create', 'shop', '--name', 'endpoint-04', '--version', '1', '--yes');
  const { code, stdout } = await run('drift', 'shop');
  expect(code).toBe(1);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(
      /^shop: 2 of 3 endpoints are not on version 2, to which rollout \S+ brought shop on /,
    ),
    expect.stringMatching(
      /^ {2}endpoint-02: on (its way to )?version 1, moved since then, by no rollout$/,
    ),
    expect.stringMatching(/^ {2}endpoint-04: on (its way to )?version 1, it came later$/),
    '  1 endpoint besides: no rollout that is known rolled them.',
    '  To bring them along: steproll rollout start shop --version 2',
    '',
  ]);
  const json = await run('drift', 'shop', '-o', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject([
    {
      runtimeId: 'shop',
      state: 'compared',
      version: 2,
      compared: 3,
      drifted: [{ kind: 'moved' }, { kind: 'late' }],
    },
  ]);
});

test('knows nothing of a runtime that has the same id at another service', async () => {
  const scenario = parseScenario({ runtimes: [{ id: 'shop', version: 1, endpoints: 3 }] });
  const other = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  try {
    const at = ['--endpoint-url', other.url];
    const { code, stdout } = await ended(startHere(home, ['drift', 'shop', ...at]));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'shop: no rollout of it has succeeded, so nothing says where it should be.\n',
    });
  } finally {
    await other.close();
  }
});

test('says what is not known, and fails for a runtime that is not there', async () => {
  expect(await run('drift', 'cart')).toMatchObject({
    code: 0,
    stdout: 'cart: no rollout of it has succeeded, so nothing says where it should be.\n',
  });
  // Whoever asks about all is not told for ever of a name that somebody mistyped once.
  await run('rollout', 'start', 'nosuch', '--version', '2', '--yes');
  expect((await run('drift')).stdout).not.toContain('nosuch');
  const missing = await run('drift', 'nosuch');
  expect(missing.stdout).toContain('nosuch: nobody knows. UpstreamNotFound');
  expect(missing.code).toBe(3);
});
