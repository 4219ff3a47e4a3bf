import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { ended, killPrograms, saw, startCommand, startProgram } from '../cli/program-process.ts';
import { readDoc } from '../docs/code-blocks.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const TOKEN = 'canary-7d1f0b';
const ACTION = parse(readDoc('action.yml'));
const [STEP] = ACTION.runs.steps;
const QUICK = ['--bake=0', '--poll=1'];

const all = realpathSync(mkdtempSync(join(tmpdir(), 'steproll-action-')));
let home: string;
let writes: string[] = [];
let service: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const runtimes = [
    { id: 'shop', endpoints: 2, rollSeconds: 0.1 },
    { id: 'slow', endpoints: 3, rollSeconds: 3 },
  ];
  const faults = [{ endpoint: 'endpoint-01', runtime: 'shop', version: 3, kind: 'fail' }];
  service = await startEndpointServer({
    scenario: parseScenario({ runtimes, faults }),
    port: 0,
    clock: systemClock,
    onRequest: ({ method, url }) => {
      if (method !== 'GET') writes.push(url);
    },
  });
});
beforeEach(() => {
  home = mkdtempSync(join(all, 'job-'));
  writes = [];
});
afterAll(async () => {
  killPrograms();
  await service.close();
  rmSync(all, { recursive: true });
});

type Inputs = Readonly<Record<string, string>>;

/** What an expression of the action stands for, where it is an input. */
function fillIn(expression: string, inputs: Inputs): string {
  const [, name = ''] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression) ?? [];
  return inputs[name] ?? ACTION.inputs[name].default;
}

/** Starts the step of the action as a runner does: a file of bash, with files for what it says. */
function startStep(inputs: Inputs, variables: Inputs = {}) {
  const script = join(home, 'step.sh');
  writeFileSync(script, STEP.run);
  const env = Object.entries<string>(STEP.env).map(([name, value]) => [
    name,
    fillIn(value, inputs),
  ]);
  const bash = ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail', script];
  return startCommand(
    home,
    bash,
    {
      ...Object.fromEntries(env),
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      GITHUB_ACTION_PATH: CHECKOUT,
      GITHUB_OUTPUT: join(home, 'output'),
      GITHUB_STEP_SUMMARY: join(home, 'summary'),
      RUNNER_TEMP: home,
      STEPROLL_ENDPOINT_URL: service.url,
      STEPROLL_TOKEN: TOKEN,
      ...variables,
    },
    home,
  );
}

const read = (name: string) =>
  existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8') : '';

/** What the step tells the runner, and so the outputs of the action. */
function told() {
  const steps = Object.fromEntries(
    read('output')
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/, 2)),
  );
  const outputs = Object.entries<{ readonly value: string }>(ACTION.outputs).map(
    ([name, { value }]) => {
      const [, id, output = ''] = /^\$\{\{ steps\.(\w+)\.outputs\.([\w-]+) \}\}$/.exec(value) ?? [];
      expect(id).toBe(STEP.id);
      return [name, steps[output] ?? ''];
    },
  );
  return { outputs: Object.fromEntries(outputs), summary: read('summary') };
}

async function runStep(inputs: Inputs, variables: Inputs = {}) {
  const { code, stdout, stderr } = await ended(startStep(inputs, variables));
  return { code, stdout, stderr, ...told() };
}

const ID = expect.stringMatching(/^[\w-]+$/);

test('plan shows the plan in the log and in the summary, and writes nothing: exit 0', async () => {
  const { code, stdout, outputs, summary } = await runStep({
    command: 'plan',
    'runtime-id': 'shop',
    version: '2',
  });
  expect({ code, outputs }).toEqual({ code: 0, outputs: { 'rollout-id': '', outcome: '' } });
  for (const text of [stdout, summary])
    expect(text).toContain('shop to version 2, 2 of 2 endpoints');
  expect(writes).toEqual([]);
});

test('start rolls to the end, and tells the story: exit 0', async () => {
  const { code, stderr, outputs, summary } = await runStep({
    command: 'start',
    'runtime-id': 'shop',
    version: '2',
    reason: 'because of #41',
    options: ['', ...QUICK].join('\n'),
  });
  expect({ code, outputs }).toEqual({
    code: 0,
    outputs: { 'rollout-id': ID, outcome: 'Succeeded' },
  });
  expect(stderr).toContain('rolls to version 2');
  expect(summary).toContain(
    `### Rollout ${outputs['rollout-id']} Succeeded\n\n    shop to version 2`,
  );
  expect(summary).toContain('because of #41');
});

test('a rollout that fails fails the step, with its outcome and its story: exit 1', async () => {
  const { code, outputs, summary } = await runStep({
    command: 'start',
    'runtime-id': 'shop',
    version: '3',
    options: QUICK.join('\n'),
  });
  expect({ code, outputs }).toEqual({ code: 1, outputs: { 'rollout-id': ID, outcome: 'Failed' } });
  expect(summary).toContain(`### Rollout ${outputs['rollout-id']} Failed\n\n    shop to version 3`);
});

describe('a mistake in an input ends with 2, is told in log and summary, and writes nothing', () => {
  const start = { command: 'start', 'runtime-id': 'shop', version: '2' };

  test.each([
    ['an unknown command', { ...start, command: 'destroy' }, 'command: use plan, start or publish'],
    ['a name that every object has', { ...start, command: 'toString' }, 'command: use'],
    ['no runtime', { ...start, 'runtime-id': '' }, 'runtime-id'],
    ['no version', { ...start, version: '' }, '--version'],
    ['an unknown option', { ...start, options: '--nonsense=1' }, '--nonsense: unknown option'],
    [
      'a version that is a script',
      { ...start, version: '$(touch hacked); touch hacked' },
      '--version',
    ],
    [
      'a program that is not there',
      { ...start, steproll: 'missing.tgz' },
      'there is no missing.tgz',
    ],
  ])('%s', async (_, inputs, message) => {
    const { code, stderr, outputs, summary } = await runStep(inputs);
    expect({ code, outputs }).toEqual({ code: 2, outputs: { 'rollout-id': '', outcome: '' } });
    for (const text of [stderr, summary]) expect(text).toContain(message);
    expect(writes).toEqual([]);
    expect(existsSync(join(home, 'hacked'))).toBe(false);
  });
});

test('a runtime that looks like an option is one that there is not', async () => {
  const inputs = { command: 'start', 'runtime-id': '--help', version: '2' };
  const { code, outputs } = await runStep(inputs);
  expect({ code, outcome: outputs.outcome }).toEqual({ code: 1, outcome: 'Failed' });
});

describe('a job that is cancelled', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves a rollout that goes on elsewhere alone, and says how to come back: %s, exit 130',
    async (signal) => {
      const config = {
        endpointUrl: service.url,
        policies: { default: { bakeSeconds: 0, pollSeconds: 1 } },
        runtimes: { slow: {} },
      };
      writeFileSync(join(home, 'steproll.config.json'), JSON.stringify(config));
      const listener = startProgram(home, [
        'listen',
        '--config',
        'steproll.config.json',
        '--port',
        '0',
      ]);
      const isOver = saw(listener, 'Succeeded (Converged)');
      await saw(listener, 'Listening at');
      const version = signal === 'SIGINT' ? '2' : '3';
      const step = startStep({ command: 'publish', 'runtime-id': 'slow', version });
      const output = ended(step);
      await saw(step, 'Wave 1 of');
      step.kill(signal);
      const { code, stderr } = await output;
      const { outputs, summary } = told();
      expect({ code, outputs }).toEqual({ code: 130, outputs: { 'rollout-id': ID, outcome: '' } });
      const comeBack = `steproll rollout watch ${outputs['rollout-id']}`;
      for (const text of [stderr, summary]) expect(text).toContain(comeBack);
      expect(await isOver).toContain(outputs['rollout-id']);
      listener.kill('SIGTERM');
    },
  );

  test('ends the rollout that runs in the job itself, as a second signal does not: exit 130', async () => {
    const inputs = {
      command: 'start',
      'runtime-id': 'slow',
      version: '9',
      options: QUICK.join('\n'),
    };
    const step = startStep(inputs);
    const output = ended(step);
    await saw(step, 'rolls to version 9');
    step.kill('SIGINT');
    step.kill('SIGTERM');
    const { code } = await output;
    const { outputs, summary } = told();
    expect({ code, outputs }).toEqual({
      code: 130,
      outputs: { 'rollout-id': ID, outcome: 'Aborted' },
    });
    expect(summary).toContain(
      `### Rollout ${outputs['rollout-id']} Aborted\n\n    slow to version 9`,
    );
  });
});

describe('what is run', () => {
  const SPY = `#!/usr/bin/env node
    require('node:fs').appendFileSync('seen', process.argv.slice(2).join(' ') + '\\n');
    console.error('Rollout of-the-spy');
    console.log(JSON.stringify({ outcome: 'Succeeded\\nother=1' }));
  `;

  test('is a program that is named, without a secret among its arguments', async () => {
    const spy = join(home, 'spy.cjs');
    writeFileSync(spy, SPY);
    chmodSync(spy, 0o755);
    const inputs = { command: 'publish', group: 'eu', version: 'latest', steproll: './spy.cjs' };
    const { code, stdout, stderr, outputs, summary } = await runStep(inputs);
    expect(code).toBe(0);
    expect(read('seen').trim().split('\n')).toEqual([
      'release publish --wait --output=json --version=latest --group=eu',
      'rollout show of-the-spy --output=table',
    ]);
    // An outcome cannot be another output.
    expect(outputs).toEqual({ 'rollout-id': 'of-the-spy', outcome: '' });
    expect([stdout, stderr, summary, read('output'), read('seen')].join()).not.toContain(TOKEN);
  });

  test('is what npm installs from a tarball', async () => {
    mkdirSync(join(home, 'package'));
    const manifest = { name: 'steproll', version: '9.9.9', bin: { steproll: 'spy.cjs' } };
    writeFileSync(join(home, 'package', 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(home, 'package', 'spy.cjs'), SPY);
    execFileSync('tar', ['-czf', 'steproll-9.9.9.tgz', 'package'], { cwd: home });
    const inputs = {
      command: 'start',
      'runtime-id': 'shop',
      version: '2',
      steproll: 'steproll-9.9.9.tgz',
    };
    const { code, outputs } = await runStep(inputs, { npm_config_offline: 'true' });
    expect({ code, id: outputs['rollout-id'] }).toEqual({ code: 0, id: 'of-the-spy' });
  });
});

test('no input stands in a script, where it could be code, and the only script replaces the shell', () => {
  expect(ACTION.runs.steps).toHaveLength(1);
  expect(STEP.run).toMatch(/^exec node /);
  expect(STEP.run).not.toContain('${{');
  const used = Object.values<string>(STEP.env).map((value) => /inputs\.([\w-]+)/.exec(value)?.[1]);
  expect(used).toEqual(Object.keys(ACTION.inputs));
  expect(Object.keys(ACTION.inputs).join()).not.toMatch(/token|secret|password/);
});

test('the npm package has nothing of the action in it', () => {
  const { files } = JSON.parse(readDoc('package.json'));
  expect(files.filter((path: string) => /action|github/.test(path))).toEqual([]);
});
