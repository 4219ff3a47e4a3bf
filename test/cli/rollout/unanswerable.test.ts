import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { publishToListener } from '../../../lib/adapters/listener/publish-to-listener.ts';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { type RequestLine, startEndpointServer } from '../../../lib/simulation/server.ts';
import { ended, saw } from '../program-process.ts';
import { runHere, startHere } from '../run-here.ts';

// A gate that nobody can answer is told at once, and not when the progress deadline is over.

const home = mkdtempSync(join(tmpdir(), 'steproll-gates-'));
const state = join(home, 'state');
const config = join(home, 'config.json');
const requests: RequestLine[] = [];
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  server = await startEndpointServer({
    scenario: parseScenario({ runtimes: [{ id: 'shop', endpoints: 5, rollSeconds: 0.1 }] }),
    port: 0,
    clock: systemClock,
    onRequest: (line) => void requests.push(line),
  });
});
beforeEach(() => {
  requests.length = 0;
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

/** Runs a command on a machine that knows nothing of AWS. */
function run(command: 'plan' | 'start', verify: object, more: string[] = [], typed?: string) {
  const policy = { bakeSeconds: 0, pollSeconds: 1, maxPollSeconds: 1, verify };
  writeFileSync(config, JSON.stringify({ endpointUrl: server.url, policies: { default: policy } }));
  const version = more.includes('--version') ? [] : ['--version', '2'];
  const args = ['rollout', command, 'shop', ...version, '--config', config, ...more];
  return runHere(
    args,
    {
      STEPROLL_STATE_DIR: state,
      STEPROLL_PROFILES_FILE: join(home, 'profiles'),
      AWS_CONFIG_FILE: join(home, 'aws'),
      AWS_SHARED_CREDENTIALS_FILE: join(home, 'aws'),
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    typed,
  );
}

const ELSEWHERE = { probe: { path: '/healthz', hosts: ['*.example.com'] } };
/** Every endpoint has a host of its own. */
const HOST =
  'verify.probe of endpoint-01, endpoint-02, endpoint-03 and 2 more: their hosts, such as ID.localhost, are not in verify.probe.hosts (*.example.com).';
const withoutId = (text: string) =>
  text
    .replace(/[0-9a-f-]{36}\.localhost/, 'ID.localhost')
    .replace(/(?<=config check )[^"]+/, 'CONFIG');
const HINT = 'To try all of a configuration: "steproll config check CONFIG".';
const METRIC = {
  ...{ namespace: 'Shop', metric: 'Errors', limit: { above: 5 } },
  dimensions: { Name: '{endpoint}' },
};
const REGION =
  'verify.alarms, shop-5xx, shop-latency: Region is missing. Set AWS_REGION, or name a profile that has a region in AWS_PROFILE.';

describe('rollout start', () => {
  test.each([
    ['with --yes', ['--yes'], undefined],
    ['before it asks', [], 'y\n'],
  ])('refuses such a gate %s: exit 2, nothing is sent or recorded', async (_, more, typed) => {
    const { code, stdout, stderr } = await run('start', ELSEWHERE, more, typed);
    expect({ code, stdout, stderr: withoutId(stderr) }).toEqual({
      code: 2,
      stdout: '',
      stderr: `GateUnanswerable: Nobody can answer a gate, so nothing is rolled: ${HOST}\n${HINT}\n`,
    });
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(readdirSync(home)).not.toContain('state');
  });

  test('says all of them at once', async () => {
    const verify = { ...ELSEWHERE, alarms: ['shop-5xx', 'shop-latency'] };
    const { code, stderr } = await run('start', verify, ['--yes']);
    expect({ code, stderr: withoutId(stderr) }).toEqual({
      code: 2,
      stderr: `GateUnanswerable: Nobody can answer a gate, so nothing is rolled:\n  ${HOST}\n  ${REGION}\n${HINT}\n`,
    });
  });

  test('says the same of metrics', async () => {
    const verify = { metrics: [METRIC, { ...METRIC, metric: 'Requests', dimensions: {} }] };
    const { code, stderr } = await run('start', verify, ['--yes']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'so nothing is rolled: verify.metrics, Errors of endpoint-01, Requests: Region is missing. Set AWS_REGION',
      ),
    });
  });

  test.each([
    ['at a path', '/opt/checks/no-such-program'],
    ['in PATH', 'steproll-has-no-such-program'],
  ])('refuses a check whose program is not there, %s', async (_, program) => {
    const checks = [
      { name: 'talk', command: [program, '--all'] },
      { name: 'there', command: [process.execPath] },
      { name: 'in-path', command: ['env'] },
    ];
    const { code, stderr } = await run('start', { checks }, ['--yes']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `so nothing is rolled: verify.checks, talk: there is no program ${program} to run`,
      ),
    });
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  test('asks no gate where nothing is to be rolled', async () => {
    const how = ['--yes', '--version', '1', '-o', 'json'];
    const { code, stdout } = await run('start', ELSEWHERE, how);
    expect({ code, result: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      result: { outcome: 'Succeeded' },
    });
  });
});

const MISSING = { checks: [{ name: 'talk', command: ['/opt/checks/no-such-program'] }] };

test.each(['plan', 'start'])(
  'rollout %s --group looks at the gates of its runtimes',
  async (command) => {
    const policies = { default: { verify: MISSING } };
    const runtimes = { shop: {} };
    const groups = { all: { runtimes: ['shop'] } };
    writeFileSync(config, JSON.stringify({ endpointUrl: server.url, policies, runtimes, groups }));
    const yes = command === 'start' ? ['--yes'] : [];
    const args = [
      'rollout',
      command,
      '--group',
      'all',
      '--version',
      '2',
      '--config',
      config,
      ...yes,
    ];
    const nowhere = { STEPROLL_STATE_DIR: join(home, 'of-group') };
    const { code, stdout, stderr } = await runHere(args, nowhere);
    expect(code).toBe(2);
    expect(readdirSync(home)).not.toContain('of-group');
    expect(stdout + stderr).toContain('there is no program /opt/checks/no-such-program to run');
    expect(requests.map(({ method }) => method)).not.toContain('PUT');
  },
);

test('listen ends a rollout whose check has no program before anything is rolled', async () => {
  const policy = { bakeSeconds: 0, pollSeconds: 1, verify: MISSING };
  writeFileSync(
    config,
    JSON.stringify({
      endpointUrl: server.url,
      policies: { default: policy },
      runtimes: { shop: {} },
    }),
  );
  const child = startHere(home, ['listen', '--config', config, '--port', '0']);
  const output = ended(child);
  await saw(child, 'Listening at');
  const isOver = saw(child, 'Rollout Ended');
  await publishToListener(home, {
    source: 'steproll.release',
    'detail-type': 'Release Published',
    detail: { runtimeId: 'shop', version: 2, releaseId: 'build-2' },
  });
  await isOver;
  child.kill('SIGTERM');
  expect((await output).stdout).toContain('GateUnanswerable');
  expect(requests.map(({ method }) => method)).not.toContain('PUT');
});

describe('rollout plan', () => {
  test('shows the plan, says the same, and ends with 2', async () => {
    const { code, stdout, stderr } = await run('plan', { alarms: ['shop-5xx', 'shop-latency'] });
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringMatching(/^Plan .*\n/) });
    expect(stderr).toContain(`so nothing is rolled: ${REGION}\n`);
    const json = await run('plan', ELSEWHERE, ['-o', 'json']);
    expect({ code: json.code, plan: JSON.parse(withoutId(json.stdout)) }).toMatchObject({
      code: 2,
      plan: { unanswerable: [HOST] },
    });
  });

  test('does not read the alarms and metrics of a rollout on AWS, which reads them with its own role', async () => {
    const { stdout } = await run('plan', { alarms: ['shop-5xx'], metrics: [METRIC] }, [
      '--engine',
      'aws',
      '-o',
      'json',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ unanswerable: [] });
  });
});
