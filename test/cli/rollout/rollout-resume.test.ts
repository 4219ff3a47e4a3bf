import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { ended, killPrograms, saw, startProgram } from '../program-process.ts';
import { startHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-resume-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;
/** The rollouts whose process was killed after their first roll, by their runtimes. */
let killed: ReadonlyMap<string, string>;

beforeAll(async () => {
  const runtimes = [
    { id: 'killed', endpoints: 3, rollSeconds: 2 },
    { id: 'alive', endpoints: 1, rollSeconds: 60 },
    { id: 'busy', endpoints: 1, rollSeconds: 60 },
    { id: 'aborted', endpoints: 2, rollSeconds: 600 },
    { id: 'again', endpoints: 2, rollSeconds: 2 },
    { id: 'heard', endpoints: 1, rollSeconds: 600 },
    { id: 'lost', endpoints: 1, rollSeconds: 600 },
    { id: 'moved', endpoints: 2, rollSeconds: 2 },
    { id: 'elsewhere', endpoints: 1, rollSeconds: 600 },
    { id: 'ended', endpoints: 1, rollSeconds: 0.1 },
  ];
  const scenario = parseScenario({ runtimes });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  killed = await startAndKill(['killed', 'aborted', 'again', 'lost', 'moved', 'elsewhere']);
});

afterAll(async () => {
  killPrograms();
  await server.close();
  rmSync(home, { recursive: true });
});

function startOf(runtimeId: string): string[] {
  const how = ['--version', '2', '--bake', '0', '--poll', '1', '--yes'];
  return ['rollout', 'start', runtimeId, ...how, '--endpoint-url', server.url];
}

function start(runtimeId: string) {
  return startHere(home, startOf(runtimeId));
}

function run(...args: string[]) {
  return ended(startHere(home, args));
}

function resume(rolloutId: string, ...more: string[]) {
  return run('rollout', 'resume', rolloutId, '--endpoint-url', server.url, ...more);
}

const ROLLS = 'rolls to version 2';

/** Starts a rollout and answers its id, as it writes it, once it has made its first roll. */
async function startAndRoll(runtimeId: string, start: typeof startHere | typeof startProgram) {
  const child = start(home, startOf(runtimeId));
  return { child, rolloutId: idIn(await saw(child, ROLLS)) };
}

function idIn(written: string): string {
  return /^Rollout (\S+)\n/.exec(written)?.[1] ?? '';
}

/** Starts a rollout of each runtime in a process of their own, and kills it once each has made its first roll. */
async function startAndKill(runtimeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const together = fileURLToPath(new URL('../start-together.ts', import.meta.url));
  const commands = JSON.stringify(runtimeIds.map(startOf));
  const child = spawn(process.execPath, [together, home, commands], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const written = runtimeIds.map(() => '');
  for await (const line of createInterface(child.stdout)) {
    const [index, text] = JSON.parse(line);
    written[index] += text;
    if (written.every((one) => one.includes(ROLLS))) break;
  }
  child.kill('SIGKILL');
  await once(child, 'close');
  return new Map(runtimeIds.map((id, index) => [id, idIn(written[index] ?? '')]));
}

function killedOf(runtimeId: string): string {
  return killed.get(runtimeId) ?? '';
}

test('a rollout that was killed goes on where it was and succeeds: exit 0', async () => {
  const rolloutId = killedOf('killed');
  const { code, stdout, stderr } = await resume(rolloutId, '-o', 'json');
  expect({ code, result: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    result: { rolloutId, runtimeId: 'killed', version: 2, outcome: 'Succeeded', cleanup: 'none' },
  });
  expect(stderr).toMatch(
    new RegExp(`^Rollout ${rolloutId}\nNow +Wave 1 of 2: rolling\n.+Plan [0-9a-f]{16}: killed to `),
  );
  expect(stderr).toContain('Wave 1 of 2: 1 live on version 2');
  // The roll that was made before is not made again.
  expect(stderr).not.toContain('endpoint-01 rolls to version 2');
  expect(stderr).toContain('endpoint-03 rolls to version 2');
});

test('a rollout that was killed is watched and shown as dead, with the command to resume it', async () => {
  const rolloutId = killedOf('elsewhere');
  const command = `steproll rollout resume ${rolloutId}`;
  const watcher = startHere(home, ['rollout', 'watch', rolloutId]);
  const lines = await saw(watcher, command);
  watcher.kill('SIGINT');
  await ended(watcher);
  const sentence = 'Its process seems to be dead. To go on with it:';
  expect(lines).toContain(sentence);

  const json = startHere(home, ['rollout', 'watch', rolloutId, '-o', 'json']);
  const told = await saw(json, `${sentence} ${command}`);
  json.kill('SIGINT');
  await ended(json);
  expect(told).toMatch(/"phase":"rolling".*"secondsLeft":null/);

  const { stdout } = await run('rollout', 'show', rolloutId);
  expect(stdout).toContain(sentence);
  expect(stdout).toMatch(/Wave 1 of 1: rolling, last heard of at \S+Z\n/);
});

test('a rollout whose process is alive is left alone: exit 1', async () => {
  const { child, rolloutId } = await startAndRoll('alive', startProgram);
  expect(await resume(rolloutId)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`holds the lease[^]*"steproll rollout abort ${rolloutId}"`),
    ),
  });
  child.kill('SIGINT');
  expect(await ended(child)).toMatchObject({
    code: 130,
    stdout: expect.stringContaining('Interrupted: '),
  });
});

test('a start beside it names the rollout that has the runtime: exit 1', async () => {
  const { child, rolloutId } = await startAndRoll('busy', startHere);
  const refused = await ended(start('busy'));
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`"steproll rollout abort ${rolloutId}"`),
  });
  child.kill('SIGINT');
  await ended(child);
});

test('an abort of a rollout that was killed says what carries it out, as show does', async () => {
  const rolloutId = killedOf('aborted');
  const command = `  steproll rollout resume ${rolloutId}\n`;
  const abort = ['rollout', 'abort', rolloutId, '--yes'];
  expect(await run(...abort)).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Asked to abort\./),
    stderr: `Its process seems to be dead. To have the abort carried out:\n${command}`,
  });
  const show = ['rollout', 'show', rolloutId];
  expect((await run(...show)).stdout).toContain(
    `asked to abort.\n  Its process seems to be dead. To have the abort carried out:\n  ${command}`,
  );
  expect(await resume(rolloutId)).toMatchObject({
    code: 130,
    stdout: expect.stringContaining('Aborted'),
  });
});

test('a start after a rollout that was killed says that it ends that one, and ends it', async () => {
  const rolloutId = killedOf('again');
  const plan = ['rollout', 'plan', 'again', '--version', '2', '--endpoint-url', server.url];
  const planned = await run(...plan, '-o', 'json');
  expect(planned.stderr).toContain(`process seems to be dead: ${rolloutId}. The new one ends it `);
  expect(JSON.parse(planned.stdout).begin).toMatchObject({ takesOver: rolloutId });
  const next = start('again');
  expect(await saw(next, 'rolls to version 2')).toMatch(
    new RegExp(
      `^The runtime again has a rollout that has not ended, and whose process seems to be dead: ${rolloutId}\\. The new one ends it `,
    ),
  );
  const show = ['rollout', 'show', rolloutId, '-o', 'json'];
  const { stdout } = await run(...show);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'Errored', reason: 'LeaseLost' });
  next.kill('SIGINT');
  await ended(next);
});

test('an abort of a rollout whose process is alive says nothing more', async () => {
  const { child, rolloutId } = await startAndRoll('heard', startHere);
  const abort = ['rollout', 'abort', rolloutId, '--yes'];
  expect(await run(...abort)).toMatchObject({ code: 0, stderr: '' });
  await ended(child);
});

test('a rollout whose runtime another one has taken over cannot go on: exit 1', async () => {
  const rolloutId = killedOf('lost');
  const child = start('lost');
  await saw(child, 'Wave 1 of 1: 1 ');
  expect(await resume(rolloutId)).toMatchObject({ code: 1, stdout: '' });
  child.kill('SIGINT');
  await ended(child);
});

test('a rollout of another service does not go on at this one: exit 2, and it stays open', async () => {
  const rolloutId = killedOf('elsewhere');
  const args = ['rollout', 'resume', rolloutId, '--endpoint-url', 'http://127.0.0.1:1'];
  expect(await run(...args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `Rollout "${rolloutId}" is of the service at ${server.url}, and the endpoint URL here is http://127.0.0.1:1. Use --endpoint-url ${server.url}; or --moved, if the service has moved and its endpoints are the same ones.\n`,
  });
  const show = ['rollout', 'show', rolloutId, '-o', 'json'];
  const { stdout } = await run(...show);
  expect(JSON.parse(stdout)).toMatchObject({ endpointUrl: server.url, outcome: null });
});

test('a rollout of another kind of service: exit 2, and no advice that AgentCore would refuse', async () => {
  const at = 'http://127.0.0.1:1';
  const args = ['rollout', 'resume', killedOf('elsewhere'), '--service', 'agentcore'];
  const variables = { AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: at };
  const { code, stderr } = await ended(startHere(home, args, variables));
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /and the endpoint URL here is http:\/\/127\.0\.0\.1:1\. Use the --region and the --service of that one; or --moved, /,
    ),
  ]);
});

test('a rollout of a service that has moved goes on where it is now, if that is said: exit 0', async () => {
  const rolloutId = killedOf('moved');
  const url = server.url.replace('127.0.0.1', 'localhost');
  const { code, stdout } = await resume(rolloutId, '--endpoint-url', url, '--moved', '-o', 'json');
  expect({ code, result: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    result: { rolloutId, outcome: 'Succeeded' },
  });
});

test('a rollout that has ended: exit 1, and how it ended', async () => {
  const done = await ended(start('ended'));
  const rolloutId = /^Rollout (\S+)\n/.exec(done.stderr)?.[1] ?? '';
  expect(await resume(rolloutId)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('has ended already, as Succeeded: 1 endpoint rolled'),
  });
});

test('a rollout that nobody knows: exit 2', async () => {
  expect(await resume('4f1f9a52-0c7e-4a7e-9d3c-0d1d5f6c2b11')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^RolloutNotFound: The ledger knows no rollout "4f1f9a52-0c7e-4a7e-9d3c-0d1d5f6c2b11"\.\n/,
    ),
  });
});
