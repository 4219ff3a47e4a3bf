import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { ended } from '../program-process.ts';
import { startHere } from '../run-here.ts';

// Objects of JavaScript have inherited words. Runtimes, endpoints and groups may be called so.

const WORDS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
/** Each takes seconds to be rolled. */
const ROLLED = WORDS.slice(0, 2);

const home = mkdtempSync(join(tmpdir(), 'steproll-words-'));
const config = join(home, 'config.json');
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const endpoints = WORDS.map((name) => ({ name }));
  const runtimes = ['shop', ...WORDS].map((id) => ({ id, endpoints, rollSeconds: 0.1 }));
  const scenario = parseScenario({ runtimes });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  const waves = [{ endpoints: 3 }, { percent: 100 }];
  const own = { protect: ['toString'], bakeSeconds: 0, waves };
  const polls = { pollSeconds: 1, maxPollSeconds: 1 };
  const policy = { ...polls, bakeSeconds: 0, waves: [{ percent: 100 }] };
  const ofGroup = { runtimes: ROLLED, policy };
  const json = {
    endpointUrl: server.url,
    policies: {
      default: { ...polls, maxUnavailable: { percent: 100 } },
      ...Object.fromEntries(WORDS.map((name) => [name, own])),
    },
    runtimes: Object.fromEntries(WORDS.map((id) => [id, { policy: id }])),
    groups: Object.fromEntries(WORDS.map((id) => [id, ofGroup])),
  };
  writeFileSync(config, JSON.stringify(json));
});

afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

function run(...args: string[]) {
  return ended(startHere(home, args, { STEPROLL_CONFIG: config }));
}

test.each(WORDS)('what is configured for a runtime called %s holds', async (id) => {
  const { stdout, code } = await run('rollout', 'plan', id, '--version', '2');
  expect(stdout).toContain('protect: ["toString"] instead of []');
  expect(stdout).toMatch(/Wave 1: 3 /);
  expect(code).toBe(0);
});

test('one that says nothing has nothing of theirs', async () => {
  const { stdout } = await run('rollout', 'plan', 'shop', '--version', '2');
  expect(stdout).not.toContain('protect');
});

test('a group called so is rolled, each runtime to its own version, with every endpoint', async () => {
  const versions = join(home, 'versions.json');
  const each = ROLLED.map((id, index) => [id, index + 2] as const);
  writeFileSync(versions, JSON.stringify(Object.fromEntries(each)));
  const words = ['--group', '__proto__', '--versions', versions, '--yes'];
  const { code, stderr } = await run('rollout', 'start', ...words);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  for (const [index, id] of ROLLED.entries()) {
    const { stdout } = await run('agent', 'runtime', 'endpoint', 'list', id, '-o', 'json');
    const rows: { liveVersion: number }[] = JSON.parse(stdout).endpoints;
    expect(rows.map(({ liveVersion }) => liveVersion)).toEqual(WORDS.map(() => index + 2));
  }
});
