import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { rolloutViewSchema } from '../../../lib/telling/view/rollout-view.ts';
import { WATCH_LINES } from '../../../lib/telling/view/watch-lines.ts';
import { jsonLines } from '../../support/capture-output.ts';
import { ended, saw } from '../program-process.ts';
import { startHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-watch-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const runtimes = [
    { id: 'quick', endpoints: 2, rollSeconds: 2 },
    { id: 'endless', endpoints: 1, rollSeconds: 600 },
  ];
  const scenario = parseScenario({ runtimes });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
});

afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

/** Starts a rollout beside the test, and answers its id once it has made its first roll. */
async function start(runtimeId: string) {
  const how = ['--version', '2', '--bake', '0', '--poll', '1', '--yes'];
  const args = ['rollout', 'start', runtimeId, ...how, '--endpoint-url', server.url];
  const child = startHere(home, args);
  const written = await saw(child, 'rolls to version 2');
  return { child, rolloutId: /^Rollout (\S+)\n/.exec(written)?.[1] ?? '' };
}

const watch = (...args: string[]) => startHere(home, ['rollout', 'watch', ...args]);
const show = (...args: string[]) => ended(startHere(home, ['rollout', 'show', ...args]));

describe('a rollout of another command', () => {
  test('is watched to its end and told, as lines, as JSON lines and as a story', async () => {
    const { child, rolloutId } = await start('quick');
    const [lines, json] = await Promise.all([
      ended(watch(rolloutId)),
      ended(watch(rolloutId, '-o', 'json')),
      ended(child),
    ]);

    expect(lines).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✔ Succeeded in /),
    });
    expect(lines.stderr).toContain('Wave 2 of 2: endpoint-02 rolls to version 2\n');

    const told = jsonLines(json.stdout);
    for (const line of told) WATCH_LINES[line.kind as keyof typeof WATCH_LINES].parse(line);
    expect(told.at(-1)).toMatchObject({ kind: 'result', rolloutId, outcome: 'Succeeded' });
    expect(json).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Wave') });

    const report = await show(rolloutId, '-o', 'json');
    expect(rolloutViewSchema.parse(JSON.parse(report.stdout))).toMatchObject({
      rolloutId,
      outcome: 'Succeeded',
    });
    const query = await show(rolloutId, '--query', 'endpoints[].fate', '-o', 'json');
    expect(JSON.parse(query.stdout)).toEqual(['live', 'live']);
    expect(await show(rolloutId)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^quick to version 2\n.*What happened.*\n {2}2 live on/s),
    });
  });

  test('C10: Ctrl-C while watching detaches with 130, and the rollout goes on', async () => {
    const { child, rolloutId } = await start('endless');
    const watcher = watch(rolloutId);
    await saw(watcher, 'Wave 1 of 1');
    watcher.kill('SIGINT');
    expect(await ended(watcher)).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringContaining(`steproll rollout watch ${rolloutId}\n`),
    });
    expect(child.exitCode).toBeNull();
    // Nobody has written an outcome: it is as it was left.
    const { stdout } = await show(rolloutId, '-o', 'json', '--query', 'outcome');
    expect(JSON.parse(stdout)).toBeNull();
    child.kill('SIGINT');
    await ended(child);
  });

  test('one that the ledger does not know cannot be shown: exit 2', async () => {
    expect(await show('nobody')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^RolloutNotFound: The ledger knows no rollout "nobody"\.\n.*"steproll rollout list".*\n$/,
      ),
    });
  });
});
