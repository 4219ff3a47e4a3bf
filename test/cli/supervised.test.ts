import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { readDoc } from '../docs/code-blocks.ts';
import { ended, killPrograms, saw, startCommand } from './program-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'steproll-supervised-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const scenario = parseScenario({ runtimes: [{ id: 'shop', endpoints: 3, rollSeconds: 30 }] });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
});

afterAll(async () => {
  killPrograms();
  await server.close();
  rmSync(home, { recursive: true });
});

/** Its words, as the docs teach them. A supervisor knows only the process that it starts with them. */
function startAsTaught(words: string, args: readonly string[] = []) {
  return startCommand(home, [...words.split(' '), ...args], {}, ROOT);
}

test('SIGTERM to the one process that npm run starts ends the rollout: exit 130', async () => {
  const how = ['--version', '2', '--bake', '0', '--poll', '1', '--yes'];
  const url = ['--endpoint-url', server.url];
  const words = 'npm run --silent steproll --';
  const child = startAsTaught(words, ['rollout', 'start', 'shop', ...how, ...url]);
  await saw(child, 'rolls to version 2');
  child.kill('SIGTERM');
  expect(await ended(child)).toMatchObject({
    code: 130,
    stdout: expect.stringContaining('Aborted'),
  });
});

test('SIGTERM to npm start ends the demo: exit 130', async () => {
  const child = startAsTaught('npm start');
  await saw(child, 'rolls to version 2');
  child.kill('SIGTERM');
  expect(await ended(child)).toMatchObject({ code: 130 });
});

test('no page teaches npx steproll, which passes no signal on, or an alias that works in one folder alone', () => {
  const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: ROOT });
  expect(pages.length).toBeGreaterThan(20);
  const bad = /npx steproll|alias steproll/;
  expect(pages.filter((page) => bad.test(readDoc(page)))).toEqual([]);
});
