import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { ended, killPrograms, saw, startProgram } from './program-process.ts';
import { startHere } from './run-here.ts';

const state = mkdtempSync(join(tmpdir(), 'steproll-test-'));
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const endpoints = 2;
  const runtimes = [
    ...['good', 'piped', 'queried'].map((id) => ({ id, endpoints, rollSeconds: 0.1 })),
    ...['stuck', 'slow', 'slow-2', 'held', 'ops'].map((id) => ({ id, endpoints, rollSeconds: 60 })),
  ];
  const scenario = parseScenario({ runtimes: [...runtimes, { id: 'empty', endpoints: 0 }] });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
});

afterAll(async () => {
  killPrograms();
  await server.close();
  rmSync(state, { recursive: true });
});

describe('on a Node.js that is too old', () => {
  test('one line says what it needs, and nothing is imported before', async () => {
    const old = `import { registerHooks } from 'node:module';
      Object.defineProperty(process, 'version', { value: 'v20.11.0' });
      Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.0' } });
      registerHooks({
        resolve(specifier, context, next) {
          if (context.parentURL?.endsWith('/bin/steproll.ts')) throw new Error('imports ' + specifier);
          return next(specifier, context);
        },
      });`;
    const before = `--import=data:text/javascript,${encodeURIComponent(old)}`;
    const child = startProgram(state, ['--version'], 'steproll', { NODE_OPTIONS: before });
    expect(await ended(child)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'steproll needs Node.js 24, and this is v20.11.0.\n',
    });
  });

  test('the version that it asks for is the one that the package names, and brings along', () => {
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const [, needed] = /const NEEDED = (\d+);/.exec(read('bin/steproll.ts')) ?? [];
    expect(JSON.parse(read('.toolchain/package.json')).version.split('.')[0]).toBe(needed);
    const { engines, version } = JSON.parse(read('package.json'));
    expect(engines).toEqual({ node: `>=${needed}` });
    const pages = [
      'README.md',
      'docs/cdk.md',
      'docs/containers.md',
      'docs/ci.md',
      'CONTRIBUTING.md',
    ];
    for (const page of pages) {
      const named = [...read(page).matchAll(/Node\.js (\d+)/g)].map(([, named]) => named);
      expect({ page, named: [...new Set(named)] }).toEqual({ page, named: [needed] });
    }
    expect(read('README.md')).toContain(`./steproll-${version}.tgz`);
  });
});

describe('the command line', () => {
  test('a rollout that succeeds: exit 0, JSON on stdout and nothing else there', async () => {
    const { code, stdout, stderr } = await runProcess(rollout('good', '--output', 'json'));
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
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining('Failed (stuck)'),
    });
  });

  test('a reader that went away neither ends the rollout nor changes its exit code', async () => {
    const child = startProgram(state, rollout('piped'));
    await saw(child, 'Wave 1 of');
    child.stdout?.destroy();
    child.stderr?.destroy();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });

  test('serve says a command that works where the package is installed', async () => {
    const child = start(['serve', '--port', '0']);
    const said = await saw(child, '--endpoint-url');
    expect(said).toMatch(/^ {2}steproll rollout start shop --version 2 /m);
    child.kill('SIGINT');
    expect(await ended(child)).toMatchObject({ code: 0, stdout: '' });
  });

  test('a scenario that cannot be used: the option and the file are named', async () => {
    const absent = join(state, 'absent.json');
    const { code, stderr } = await run(['serve', '--scenario', absent]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`--scenario: Cannot read ${absent}: `),
    });
    const wrong = join(state, 'wrong.json');
    writeFileSync(wrong, '{ "runtimes": [] }');
    const { stderr: said } = await run(['serve', '--scenario', wrong]);
    expect(said).toContain(`--scenario: Invalid scenario ${wrong}, 1 mistake:\n  runtimes: `);
  });

  test('bad input: exit 2, every mistake, nothing sent', async () => {
    const { code, stderr } = await run(['rollout', 'start', '--waves', '5%']);
    expect(code).toBe(2);
    for (const name of ['runtime-id', '--version', '--endpoint-url', '--waves']) {
      expect(stderr).toContain(`  ${name}`);
    }
  });

  test('every kind of mistake is told in one message: exit 2, nothing sent, nothing written', async () => {
    const before = readdirSync(state);
    const args = ['rollout', 'start', '--wavse', '1', '--query', 'a[', '--poll', '--bake', 'x'];
    expect(await run(args, { STEPROLL_DEBUG: 'maybe' })).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^Invalid arguments, 9 mistakes:\n( {2}.+\n){9}$/),
    });
    expect(readdirSync(state)).toEqual(before);
  });

  test('an unknown command: exit 2, and the one that was meant', async () => {
    expect(await runProcess(['rolout'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Did you mean rollout?'),
    });
  });

  test.each([
    [['rollout', 'rollback', 'ID'], 'steproll rollout revert ID', '--on-abort roll-back'],
    [['undo'], 'steproll rollout revert ID'],
    [['rollout', 'cancel', 'ID', '--yes'], 'steproll rollout abort ID'],
    [['rollout', 'prune'], 'historyDays'],
    [['ps'], 'steproll rollout list'],
    [['version'], 'steproll --version'],
    [['start', 'shop'], 'steproll rollout start'],
    [['rollout', 'start', 'shop', '--version', '2', '--dry-run'], '"steproll rollout plan"'],
    [['rollout', 'start', 'shop', '--version', '2', '--wait'], 'it always waits'],
    [
      ['rollout', 'start', 'shop', '--version', '2', '--on-failure', 'rollback'],
      'did you mean roll-back?',
    ],
    [['rollout', 'abort', 'ID', '--on-abort', 'stop_old'], 'did you mean stop-old?'],
  ])('%j: exit 2, and what does that', async (args, ...words) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(2);
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toContain('mean pause');
  });

  test('global options stand before the command or behind it; those behind win', async () => {
    const list = ['agent', 'runtime', 'endpoint', 'list', 'ops'];
    const before = ['--endpoint-url', 'http://127.0.0.1:1', '-o', 'id'];
    const { code, stdout } = await run([...before, ...list, '--endpoint-url', server.url]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^(\S+\n)+$/) });
  });

  test('settings come from the configuration that is named, the profile and the environment', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steproll-folder-'));
    writeFileSync(join(folder, 'steproll.config.json'), '{"endpointUrl": "http://127.0.0.1:1"}');
    writeFileSync(
      join(folder, 'profiles'),
      `[here]\nendpoint_url = ${server.url}\noutput = json\n`,
    );
    const variables = { STEPROLL_PROFILES_FILE: join(folder, 'profiles') };
    const list = ['agent', 'runtime', 'endpoint', 'list', 'ops'];
    const outcomes = [
      await run([...list, '--config', 'steproll.config.json'], variables, folder),
      await run(list, { ...variables, STEPROLL_PROFILE: 'here' }, folder),
      await run([...list, '-o', 'id'], { STEPROLL_ENDPOINT_URL: server.url }, folder),
    ];
    rmSync(folder, { recursive: true });
    expect(outcomes.map(({ code }) => code)).toEqual([3, 0, 0]);
    expect(outcomes[0]?.stderr.match(/, from .*/g)).toEqual([
      ', from steproll.config.json, endpointUrl.',
    ]);
    expect(JSON.parse(outcomes[1]?.stdout ?? '')).toMatchObject({ page: 1 });
  });

  test('C09: a token that cannot be sent is refused by the name of its place: exit 2', async () => {
    const list = ['agent', 'runtime', 'endpoint', 'list', 'ops', '--endpoint-url', server.url];
    const { code, stdout, stderr } = await run(list, { STEPROLL_TOKEN: 'canary\n' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('STEPROLL_TOKEN: the token must be');
    expect(stderr).not.toContain('canary');
  });

  test('--debug shows requests and where settings came from, never a token', async () => {
    const list = ['agent', 'runtime', 'endpoint', 'list', 'ops', '--debug', '--region', 'eu-1'];
    const variables = { STEPROLL_TOKEN: 'canary', STEPROLL_ENDPOINT_URL: server.url };
    const { stdout, stderr } = await run([...list, '-o', 'json'], variables);
    expect(JSON.parse(stdout)).toMatchObject({ page: 1 });
    for (const part of ['from STEPROLL_ENDPOINT_URL', 'from the command line', ' 200 ', 'GET ']) {
      expect(stderr).toContain(part);
    }
    expect(stdout + stderr).not.toContain('canary');
  });

  test('a runtime without endpoints: a table says so on stderr, stdout stays empty', async () => {
    const list = ['agent', 'runtime', 'endpoint', 'list', 'empty', '--endpoint-url', server.url];
    expect(await run(list)).toEqual({ code: 0, stdout: '', stderr: 'No endpoints.\n' });
    expect(await run([...list, '--page', '9'])).toMatchObject({
      code: 0,
      stderr: 'No endpoints on page 9.\n',
    });
    expect(await run([...list, '-o', 'id'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse((await run([...list, '-o', 'json'])).stdout)).toMatchObject({
      endpoints: [],
    });
  });

  test('a query picks from the outcome of a rollout too', async () => {
    const { code, stdout } = await run(
      rollout('queried', '-o', 'json', '--query', '[outcome, cleanup]'),
    );
    expect({ code, picked: JSON.parse(stdout) }).toEqual({
      code: 0,
      picked: ['Succeeded', 'none'],
    });
  });

  test('-i without a terminal: exit 2', async () => {
    expect(await run(['agent', 'runtime', 'endpoint', 'list', '-i'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--interactive: it needs a terminal'),
    });
  });

  test('the version and the completion scripts go to stdout: exit 0', async () => {
    const { code, stdout } = await runProcess(['--version']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    expect(await run(['--version', '7', 'rollout', 'start', 'shop'])).toMatchObject({
      code: 2,
      stdout: '',
    });
    expect(await run(['completion', 'fish'])).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('a service that does not answer for as long as the deadline: exit 3', async () => {
    const nowhere = ['--endpoint-url', 'http://127.0.0.1:1'];
    const args = [...rollout('good'), ...nowhere, '--progress-deadline', '1', '-o', 'json'];
    const { code, stdout, stderr } = await run(args);
    expect({ code, reason: JSON.parse(stdout).reason }).toEqual({
      code: 3,
      reason: 'UpstreamTransient',
    });
    expect(stderr).toContain('\nThe endpoint URL is http://127.0.0.1:1, from the command line.\n');
  });

  test('Ctrl-C: exit 130, the lease is given back and nothing is stopped', async () => {
    const child = startProgram(state, rollout('slow'));
    await saw(child, 'rolls to version 2');
    child.kill('SIGINT');
    expect(await ended(child)).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('Aborted'),
    });
    const again = await run(rollout('slow', '--progress-deadline', '1', '--on-failure', 'hold'));
    expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining('Failed (stuck) in ') });
  });

  test('one Ctrl-C that comes twice, from the terminal and from npm, ends the rollout in order', async () => {
    const child = startProgram(state, rollout('slow-2'));
    await saw(child, 'rolls to version 2');
    // Two of one name might come as one.
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await ended(child)).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('Aborted'),
    });
  });

  test('X01: a second rollout of a runtime is refused while one runs: exit 1', async () => {
    const child = start(rollout('held'));
    await saw(child, 'rolls to version 2');
    const second = await run(rollout('held', '-o', 'json'));
    expect(JSON.parse(second.stdout)).toMatchObject({ reason: 'LeaseHeld' });
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"steproll rollout abort '),
    });
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
    expect(await run(['help', 'rollout', 'start'])).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('the demo ends at Ctrl-C and leaves no file behind', async () => {
    const child = startProgram(state, [], 'demo');
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

function start(args: readonly string[]) {
  return startHere(state, args);
}

function run(args: readonly string[], variables?: Record<string, string>, cwd = state) {
  return ended(startHere(state, args, variables, { cwd }));
}

/** Only a process shows what the program makes of its exit code, of a signal and of a reader that goes away. */
function runProcess(args: readonly string[]) {
  return ended(startProgram(state, args));
}
