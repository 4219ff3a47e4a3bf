import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { ended, killPrograms, saw, startProgram } from '../program-process.ts';
import { startHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-clock-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const scenario = parseScenario({ runtimes: [{ id: 'shop', endpoints: 2, rollSeconds: 2 }] });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
});
afterAll(async () => {
  killPrograms();
  await server.close();
  rmSync(home, { recursive: true });
});

/** Sets the clock of the process back by an hour when the signal comes. */
const SET_BACK = `const now = Date.now;
  process.once('SIGUSR2', () => {
    Date.now = () => now() - 3_600_000;
  });`;

const url = () => ['--endpoint-url', server.url];

test('a clock that goes back an hour in a rollout: it took as long as it was watched, wherever that is told', async () => {
  const how = ['--version', '2', '--bake', '0', '--poll', '1', '--yes', '-o', 'json'];
  const startedAt = performance.now();
  const child = startProgram(home, ['rollout', 'start', 'shop', ...how, ...url()], 'steproll', {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SET_BACK)}`,
  });
  await saw(child, 'rolls to version 2');
  child.kill('SIGUSR2');
  const { code, stdout, stderr } = await ended(child);
  const longest = Math.ceil((performance.now() - startedAt) / 1000);

  const result = JSON.parse(stdout);
  expect({ code, outcome: result.outcome }).toEqual({ code: 0, outcome: 'Succeeded' });
  // Two waves of 2 s each.
  expect(result.seconds).toBeGreaterThanOrEqual(4);
  expect(result.seconds).toBeLessThanOrEqual(longest);
  expect(stderr).toContain(`Succeeded in ${result.seconds} s`);

  const show = ['rollout', 'show', result.rolloutId];
  const shown = JSON.parse((await run(...show, '-o', 'json')).stdout);
  expect(shown.seconds).toBe(result.seconds);
  expect((await run(...show)).stdout).toContain(`in ${result.seconds} s`);
  const [listed] = JSON.parse((await run('rollout', 'list', '-o', 'json')).stdout);
  expect(listed.seconds).toBeNull();

  const planned = await run('rollout', 'plan', 'shop', '--version', '3', ...url());
  expect(planned.stdout).toMatch(/A roll is taken for [1-9]\d* s, as in the last rollout/);
  for (const text of [stdout, stderr, planned.stdout]) expect(text).not.toMatch(/-\d+ (s|min|h)\b/);
});

function run(...args: string[]) {
  return ended(startHere(home, args));
}

/** The clock of a process is an hour behind from its first moment on. */
const BEHIND = `const now = Date.now; Date.now = () => now() - 3_600_000;`;

test('a hold from a clock an hour behind holds for as long as was said, or is refused: by the clock of the ledger', async () => {
  const add = (until: string) =>
    ended(
      startProgram(
        home,
        ['hold', 'add', 'freeze', '--until', until, '--reason', 'storm', '--yes'],
        'steproll',
        { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(BEHIND)}` },
      ),
    );
  const before = Date.now();
  const added = await add('30m');
  expect(added).toMatchObject({
    code: 0,
    stderr:
      "The clock of this machine is 1 h behind that of the ledger: the hold goes by the ledger's.\n",
  });
  const [hold] = JSON.parse((await run('hold', 'list', '-o', 'json')).stdout);
  expect(Date.parse(hold.until)).toBeGreaterThanOrEqual(
    Math.floor(before / 1000) * 1000 + 1_800_000,
  );

  const over = new Date(Date.now() - 1_800_000).toISOString();
  expect(await add(over)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Nothing is held: the hold would be over at'),
  });
  expect(JSON.parse((await run('hold', 'list', '-o', 'json')).stdout)).toHaveLength(1);
});
