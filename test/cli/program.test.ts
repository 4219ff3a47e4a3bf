import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/system-clock.ts';
import { parseScenario } from '../../lib/contract/scenario.ts';
import { startEndpointServer } from '../../lib/service/server.ts';

const bin = (name: string) => fileURLToPath(new URL(`../../bin/${name}.ts`, import.meta.url));
const state = mkdtempSync(join(tmpdir(), 'steproll-test-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const endpoints = 2;
  const runtimes = ['good', 'stuck', 'slow', 'held', 'ops'].map((id) => ({
    id,
    endpoints,
    rollSeconds: id === 'good' ? 0.1 : 60,
  }));
  const scenario = parseScenario({ runtimes });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
});

afterAll(async () => {
  await server.close();
  rmSync(state, { recursive: true });
});

describe('the command line', () => {
  test('a rollout that succeeds: exit 0, JSON on stdout and nothing else there', async () => {
    const { code, stdout, stderr } = await run(rollout('good', '--output', 'json'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Wave 1 of 2') });
    expect(JSON.parse(stdout)).toMatchObject({
      runtimeId: 'good',
      version: 2,
      outcome: 'Succeeded',
      reason: 'Converged',
      cleanup: 'none',
    });
    expect(stdout + stderr).not.toContain('\u001b');
  });

  test('a rollout that fails: exit 1, and the reason', async () => {
    const { code, stdout } = await run(rollout('stuck', '--progress-deadline', '1'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('Stalled') });
  });

  test('a reader that went away neither ends the rollout nor changes its exit code', async () => {
    const child = start(rollout('good', '--version', '3'));
    await saw(child, 'Wave 1 of');
    child.stdout?.destroy();
    child.stderr?.destroy();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });

  test('bad input: exit 2, every mistake, nothing sent', async () => {
    const { code, stderr } = await run(['rollout', 'start', '--waves', '5%']);
    expect(code).toBe(2);
    for (const name of ['runtime-id', '--version', '--endpoint-url', '--waves']) {
      expect(stderr).toContain(`  ${name}`);
    }
  });

  test('without a terminal and without --yes: exit 2', async () => {
    const args = rollout('good').filter((argument) => argument !== '--yes');
    expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  });

  test('an unknown option or command: exit 2', async () => {
    expect(await run([...rollout('good'), '--wavse', '1'])).toMatchObject({ code: 2 });
    expect(await run(['rolout'])).toMatchObject({ code: 2 });
  });

  test('a service that does not answer: exit 3', async () => {
    const args = [...rollout('good'), '--endpoint-url', 'http://127.0.0.1:1'];
    expect(await run(args)).toMatchObject({ code: 3 });
  });

  test('Ctrl-C: exit 130, the lease is given back and nothing is stopped', async () => {
    const child = start(rollout('slow'));
    await saw(child, 'rolls to version 2');
    child.kill('SIGINT');
    expect(await ended(child)).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('Aborted'),
    });
    const again = await run(rollout('slow', '--progress-deadline', '1', '--on-failure', 'hold'));
    expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining('cleanup: none') });
  });

  test('X01: a second rollout of a runtime is refused while one runs: exit 1', async () => {
    const child = start(rollout('held'));
    await saw(child, 'rolls to version 2');
    const second = await run(rollout('held'));
    expect(second).toMatchObject({ code: 1, stdout: expect.stringContaining('LeaseHeld') });
    child.kill('SIGINT');
    await ended(child);
  });

  test('the four operations print one id a line for scripts', async () => {
    const endpoint = (command: string, ...args: string[]) =>
      run([
        'agent',
        'runtime',
        'endpoint',
        command,
        'ops',
        ...args,
        '-o',
        'id',
        '--endpoint-url',
        server.url,
      ]);
    const listed = await endpoint('list', '--all');
    const [id = ''] = listed.stdout.trim().split('\n');
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(\S+\n){2}$/) });
    expect(await endpoint('update', id, '--version', '2')).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
    });
    expect(await endpoint('stop', id)).toMatchObject({ code: 0, stdout: `${id}\n` });
    expect(await endpoint('create', '--name', 'é/x')).toMatchObject({ code: 0 });
    const names = await endpoint('list', '--query', 'endpoints[].name');
    expect(names.stdout).toBe('endpoint-01\nendpoint-02\né/x\n');
    expect(await endpoint('stop', '..')).toMatchObject({ code: 2 });
    expect(await endpoint('stop', 'nobody')).toMatchObject({ code: 1 });
  });

  test('help says what there is, with examples: exit 0', async () => {
    const { code, stdout } = await run(['rollout', 'start', '--help']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Examples:') });
  });

  test('the demo ends at Ctrl-C and leaves no file behind', async () => {
    const child = start([], 'demo');
    await saw(child, 'rolls to version 2');
    const before = readdirSync(state);
    child.kill('SIGINT');
    expect(await ended(child)).toMatchObject({ code: 130 });
    expect(readdirSync(state)).toEqual(before);
  });
});

function rollout(runtimeId: string, ...more: string[]): string[] {
  const how = ['--bake', '0', '--poll', '1', '--yes', '--endpoint-url', server.url];
  return ['rollout', 'start', runtimeId, '--version', '2', ...how, ...more];
}

function start(args: readonly string[], program = 'steproll'): ChildProcess {
  const env = { PATH: process.env.PATH, HOME: state, STEPROLL_STATE_DIR: state };
  return spawn(process.execPath, [bin(program), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function run(args: readonly string[]) {
  return ended(start(args));
}

async function ended(child: ChildProcess) {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, ...output };
}

function saw(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('close', () => reject(new Error(`ended without ${text}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        if (String(chunk).includes(text)) resolve();
      });
    }
  });
}
