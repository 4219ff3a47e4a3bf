import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseRolloutInput } from '../../lib/contract/flow/rollout-input.ts';
import { DEFAULT_GROUP_POLICY } from '../../lib/domain/rollout/group-policy.ts';
import type { RolloutPlan } from '../../lib/domain/rollout/plan.ts';
import { rolloutIdOf, takeTrigger } from '../../lib/handlers/start.ts';
import { line, recordOf } from '../domain/examples.ts';
import { beginWith } from '../support/begin-with.ts';
import { type FakeAws, startFakeAws } from '../support/fake-aws.ts';
import { MACHINE_ARN } from '../support/status-change.ts';
import { runHere } from './run-here.ts';

/** The trigger that a published release becomes. */
const RELEASED = {
  kind: 'release',
  key: 'event-1',
  runtimeId: 'shop',
  wanted: { version: 7 },
} as const;

const home = mkdtempSync(join(tmpdir(), 'steproll-aws-'));
const CONFIG = join(home, 'config.json');
const executions: Record<string, object> = {
  refused: { status: 'FAILED', error: 'RolloutFailed', cause: 'Another rollout holds the lease.' },
  waits: { status: 'RUNNING' },
};
let aws: FakeAws;

beforeAll(async () => {
  writeFileSync(CONFIG, '{}');
  aws = await startFakeAws(executions);
});

afterAll(async () => {
  await aws.close();
  rmSync(home, { recursive: true });
});

function run(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  typed?: string,
) {
  const own = { STEPROLL_STATE_DIR: home, STEPROLL_CONFIG: CONFIG };
  return runHere(args, { ...aws.variables, ...own, ...variables }, typed);
}

const WHERE =
  'with the stack Steproll on AWS (account 123456789012, region eu-central-1), at https://endpoints.example.com/runtime';

/** A rollout of the stack's ledger that has begun, and ends if an outcome is given. */
async function begin(rolloutId: string, outcome?: 'Succeeded' | 'Failed' | 'Aborted') {
  const request = { ...recordOf().request, rolloutId, runtimeId: rolloutId };
  await aws.ledger.open(request, Date.now(), Date.now() + 60_000);
  if (outcome !== undefined) await end(rolloutId, outcome);
}

async function end(rolloutId: string, outcome: 'Succeeded' | 'Failed' | 'Aborted') {
  const ending = { outcome, cleanup: 'none', reason: 'Because', message: 'That is why.' } as const;
  await aws.ledger.close(rolloutId, ending, Date.now());
}

const START = ['rollout', 'start', 'shop', '--version', '7'];

describe('rollout start on AWS', () => {
  test('--detach -o id starts an execution of the name that it prints, and nothing else', async () => {
    const how = ['--select', 'web-*', '--bake', '5m', '--plan', '0123456789abcdef'];
    const { code, stdout, stderr } = await run([...START, ...how, '--yes', '--detach', '-o', 'id']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `Roll shop to version 7 ${WHERE}.\nRollout ${stdout}`,
    });
    const { target, input } = aws.calls.at(-1) ?? {};
    expect({ target, ...input }).toEqual({
      target: 'StartExecution',
      stateMachineArn: MACHINE_ARN,
      name: stdout.trim(),
      input: expect.any(String),
    });
    // Only what was said: what was not is as in the policy that is deployed.
    expect(JSON.parse(String(input?.input))).toEqual({
      schemaVersion: 1,
      runtimeId: 'shop',
      version: 7,
      plan: '0123456789abcdef',
      policy: { bakeSeconds: 300, selection: { names: ['web-*'], ids: [] } },
      startedBy: {
        kind: 'person',
        name: expect.stringMatching(/:assumed-role\/Ops\//),
        at: expect.any(Number),
      },
    });
  });

  test('--detach leaves it to itself, and says how to follow it', async () => {
    const { code, stdout } = await run([...START, '--yes', '--detach']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Started rollout (\S+)\. To follow it:\n {2}steproll rollout watch \1 --engine aws --stack Steproll\n$/,
    );
  });

  test('a configuration and a token for the service are none of its business', async () => {
    const config = join(home, 'unfit.json');
    writeFileSync(config, '{"endpointUrl": "ftp://a.example/"}');
    const variables = { STEPROLL_CONFIG: config, STEPROLL_TOKEN: 'canary' };
    const { code } = await run([...START, '--yes', '--detach'], variables);
    expect(code).toBe(0);
  });

  test.each([
    [START],
    [['rollout', 'retry', 'x']],
    [['rollout', 'revert', 'x']],
    [['rollout', 'list']],
    [['rollout', 'abort', 'x']],
    [['release', 'publish', 'shop', '--version', '7']],
  ])(
    'a configuration that is typed would be ignored: exit 2, and nothing is sent: %j',
    async (args) => {
      const before = aws.calls.length;
      const yes = /start|retry|revert|abort/.test(args.join(' ')) ? ['--yes'] : [];
      const detach = /start|retry|revert/.test(args.join(' ')) ? ['--detach'] : [];
      expect(await run([...args, ...yes, ...detach, '--config', CONFIG])).toEqual({
        code: 2,
        stdout: '',
        stderr: `Invalid arguments, 1 mistake:\n  --config: ${JSON.stringify(CONFIG)} would be ignored with the engine aws; leave it out, the stack has the configuration that it was deployed with\n`,
      });
      expect(aws.calls).toHaveLength(before);
    },
  );

  test.each([[START], [['rollout', 'retry', 'x']]])(
    'without a terminal neither --watch nor --detach: exit 2, and nothing is started: %j',
    async (args) => {
      const before = aws.calls.length;
      expect(await run([...args, '--yes'])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/1 mistake:\n {2}--watch: missing; .*--detach/),
      });
      expect(aws.calls).toHaveLength(before);
    },
  );

  test('it asks with the account and the region, and a no is exit 1', async () => {
    const before = aws.calls.length;
    const { code, stderr } = await run(START, {}, 'n\n');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`Roll shop to version 7 ${WHERE}? [y/N] `),
    });
    expect(aws.calls).toHaveLength(before);
  });

  test('at AgentCore it says before the question what a roll means for sessions', async () => {
    const { stderr } = await run([...START, '--stack', 'Harnesses'], {}, 'n\n');
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /^Sessions: nobody knows whether a running one goes on .*, and its state is lost .*Roll shop to version 7 with the stack Harnesses .*\/harnesses\? \[y\/N\] /,
    );
  });

  test('its id is told even if the answer to the start is lost', async () => {
    const { code, stderr } = await run([
      'rollout',
      'start',
      'lost',
      '--version',
      '7',
      '--yes',
      '--detach',
    ]);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(
        /\nRollout (\S+)\nAwsUnavailable: Could not start the rollout \1/,
      ),
    });
  });

  test('--watch says how the execution stands when nothing is heard of the rollout', async () => {
    const watched = run(['rollout', 'start', 'quiet', '--version', '3', '--yes', '--watch']);
    const started = () => aws.calls.find(({ input }) => `${input.input}`.includes('"quiet"'));
    while (started() === undefined) await setTimeout(20);
    const rolloutId = String(started()?.input.name);
    const longAgo = Date.now() - 600_000;
    const request = { ...recordOf().request, rolloutId, runtimeId: 'quiet' };
    await aws.ledger.open(request, longAgo, Date.now() + 60_000);
    executions[rolloutId] = { status: 'TIMED_OUT', cause: 'It took a year' };
    const { length } = aws.calls;
    while (aws.calls.length === length) await setTimeout(20);
    await end(rolloutId, 'Failed');
    expect(await watched).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Its execution ended as TIMED_OUT: It took a year'),
    });
  });

  test('--watch together with --detach, and a start that nobody can confirm: exit 2', async () => {
    const { code, stderr } = await run([...START, '--watch', '--detach']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/2 mistakes:\n.*--yes: missing.*\n.*--watch or --detach\n$/),
    });
  });
});

describe('rollout watch on AWS', () => {
  test.each([
    ['Succeeded', 0],
    ['Failed', 1],
    ['Aborted', 130],
  ] as const)('of one that ended as %s: exit %i', async (outcome, code) => {
    await begin(`ended-${outcome}`, outcome);
    expect(await run(['rollout', 'watch', `ended-${outcome}`])).toMatchObject({
      code,
      stdout: expect.stringContaining('That is why.'),
    });
  });

  test('of one that was refused before it began: exit 1, and the reason', async () => {
    expect(await run(['rollout', 'watch', 'refused'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('RolloutFailed: Another rollout holds the lease.'),
    });
  });
});

test('rollout list has the rollouts of the stack, and --debug says which ledger it is', async () => {
  await begin('listed', 'Failed');
  const args = ['rollout', 'list', 'listed', '-o', 'json', '--debug'];
  const { code, stdout, stderr } = await run(args);
  expect({ code, stderr, rollouts: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^engine aws, from STEPROLL_ENGINE\n(?:.+\n)*ledger table ledger, account 123456789012, region eu-central-1\n$/,
    ),
    rollouts: [{ rolloutId: 'listed', version: 3, outcome: 'Failed', reason: 'Because' }],
  });
});

describe('rollout abort on AWS', () => {
  test('leaves a word in the ledger of the stack', async () => {
    await begin('goes-on');
    const args = ['rollout', 'abort', 'goes-on', '--on-abort', 'roll-back', '--reason', 'errors'];
    expect(await run([...args, '--yes'])).toMatchObject({ code: 0, stderr: '' });
    expect((await aws.ledger.read('goes-on')).signals).toMatchObject([
      { kind: 'abort', wave: null, onFailure: 'roll-back', reason: 'errors' },
    ]);
  });

  test('of one that waits for its turn stops its execution', async () => {
    const aborted = await run(['rollout', 'abort', 'waits', '--reason', 'too late', '--yes']);
    expect(aborted).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was') });
    expect(aws.calls.at(-1)).toMatchObject({
      target: 'StopExecution',
      input: { cause: expect.stringMatching(/^Aborted by .*: too late$/) },
    });
  });

  test('of one that never began: exit 2, and no advice that is for one machine', async () => {
    expect(await run(['rollout', 'abort', 'refused', '--yes'])).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^RolloutNotFound: The ledger knows no rollout "refused"\.\n.*rollout list.*\n$/,
      ),
    });
  });
});

const RETRY = ['rollout', 'retry', 'again', '--yes', '--detach'];

test('rollout retry starts the same again, at that service alone, whenever rollouts may start by now', async () => {
  await begin('again', 'Failed');
  const { code, stdout } = await run([...RETRY, '-o', 'id', '--reason', 'calm again']);
  const { input } = aws.calls.at(-1) ?? {};
  expect({ code, name: input?.name }).toEqual({ code: 0, name: stdout.trim() });
  const { windows, freezes, outsideWindow, windowsBind, ...policy } = recordOf().request.policy;
  expect(JSON.parse(String(input?.input))).toEqual({
    schemaVersion: 1,
    endpointUrl: recordOf().request.endpointUrl,
    runtimeId: 'again',
    version: 3,
    policy,
    startedBy: expect.objectContaining({ kind: 'person', reason: 'calm again' }),
  });
});

test('a group of the deployment is started and retried, whatever groups the own configuration has', async () => {
  const args = ['rollout', 'start', '--group', 'prod', '--version', '7'];
  expect(await run([...args, '--yes', '--detach'])).toMatchObject({ code: 0 });
  expect(JSON.parse(String(aws.calls.at(-1)?.input.input))).toMatchObject({
    runtimeId: 'group:prod',
    version: 7,
  });

  const request = { ...recordOf().request, rolloutId: 'group-1', runtimeId: 'group:prod' };
  const policy = { ...DEFAULT_GROUP_POLICY, maxAtRisk: 5 };
  await aws.ledger.open({ ...request, policy }, Date.now(), Date.now() + 60_000);
  const ending = { outcome: 'Failed', cleanup: 'none', reason: 'X', message: 'X' } as const;
  await aws.ledger.close('group-1', ending, Date.now());
  const retry = ['rollout', 'retry', 'group-1', '--yes', '--detach'];
  expect(await run(retry)).toMatchObject({ code: 0 });
  // The workflow takes it, and rolls no more runtimes at once than before.
  const input = parseRolloutInput(JSON.parse(String(aws.calls.at(-1)?.input.input)));
  expect(input).toMatchObject({ runtimeId: 'group:prod', version: 3, policy: { maxAtRisk: 5 } });
});

test('rollout revert starts what undoes a rollout, at its service alone', async () => {
  const request = { ...recordOf().request, rolloutId: 'good', runtimeId: 'good' };
  const before = { previousVersion: 1, previousTarget: 1, wrongBefore: [] };
  const plan: RolloutPlan = {
    direction: 'forward',
    endpoints: [{ endpointId: 'a', name: null, desiredVersion: 3, ...before }],
    waves: [{ from: 0, to: 1, bakeSeconds: 0 }],
    leftOut: [],
    maxUnavailable: 1,
  };
  const now = Date.now();
  const lease = await aws.ledger.open(request, now, now + 60_000, beginWith(plan));
  await aws.ledger.append(lease, [line('roll', 'a', 'accepted')]);
  const ending = { outcome: 'Succeeded', cleanup: 'none', reason: 'X', message: 'X' } as const;
  await aws.ledger.close('good', ending, Date.now());
  const { code, stderr } = await run(['rollout', 'revert', 'good', '--yes', '--detach']);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('Roll good to the versions before rollout "good"'),
  });
  expect(parseRolloutInput(JSON.parse(String(aws.calls.at(-1)?.input.input)))).toEqual({
    schemaVersion: 1,
    endpointUrl: request.endpointUrl,
    runtimeId: 'good',
    revert: 'good',
    startedBy: expect.any(Object),
  });
});

test('C: on AWS, too, a group cannot be asked for what its runtimes say', async () => {
  const before = aws.calls.length;
  const args = ['rollout', 'start', '--group', 'prod', '--version', '7', '--allow-downgrade'];
  const { code, stderr } = await run([...args, '--yes', '--detach']);
  expect(code).toBe(2);
  expect(stderr).toContain('--allow-downgrade: leave it out');
  expect(aws.calls).toHaveLength(before);
});

test('rollout retry --any-time leaves the windows and freezes that are deployed aside', async () => {
  await begin('any-time', 'Failed');
  await run(['rollout', 'retry', 'any-time', '--any-time', '--yes', '--detach']);
  const started = JSON.parse(String(aws.calls.at(-1)?.input.input));
  expect(started.policy).toMatchObject({ windows: [], freezes: [] });
});

test('release publish puts an event on the bus, and names the rollout that it starts', async () => {
  const args = ['release', 'publish', 'shop', '--version', '7', '--release-id', 'build-1'];
  const { code, stdout } = await run([...args, '-o', 'json']);
  expect({ code, published: JSON.parse(stdout) }).toEqual({
    code: 0,
    published: {
      rolloutId: rolloutIdOf(RELEASED),
      releaseId: 'build-1',
      runtimeId: 'shop',
      version: 7,
      result: 'sent',
    },
  });
  expect(aws.calls.at(-1)).toMatchObject({
    target: 'PutEvents',
    input: { Entries: [{ EventBusName: 'steproll', Source: 'steproll.release' }] },
  });
});

test('release publish --wait follows the rollout that rolled the release before, where it starts none', async () => {
  const event = {
    ...{ source: 'steproll.release', 'detail-type': 'Release Published', id: 'event-0' },
    time: new Date().toISOString(),
    detail: { runtimeId: 'once', version: 7, releaseId: 'build-7' },
  };
  const payload = { trigger: 'release', release: null, event };
  const { rolloutId } = await takeTrigger(payload, {
    rules: { runtimes: ['once'], groups: [], maxAgeSeconds: 900, once: 'releaseId' },
    releases: [],
    clock: { now: Date.now },
    ledger: aws.ledger,
    startExecution: async () => 'started',
  });
  await begin(rolloutId, 'Succeeded');
  const args = [
    'release',
    'publish',
    'once',
    '--version',
    '7',
    '--release-id',
    'build-7',
    '--wait',
  ];
  const { code, stdout, stderr } = await run([...args, '-o', 'json']);
  expect({ code, ended: JSON.parse(stdout || '{}'), stderr }).toEqual({
    code: 0,
    ended: expect.objectContaining({ rolloutId, outcome: 'Succeeded' }),
    stderr: expect.stringContaining(rolloutId),
  });
}, 60_000);

test('release publish --wait follows the rollout that it starts, and ends as it does', async () => {
  const rolloutId = rolloutIdOf(RELEASED);
  await begin(rolloutId, 'Failed');
  const args = ['release', 'publish', 'shop', '--version', '7', '--wait', '-o', 'json'];
  const { code, stdout, stderr } = await run(args);
  expect({ code, ended: JSON.parse(stdout) }).toEqual({
    code: 1,
    ended: expect.objectContaining({ rolloutId, outcome: 'Failed' }),
  });
  expect(stderr).toContain(`Rollout ${rolloutId}\n`);
});

test('the way on from an error has the rollout and the engine, wherever they were said', async () => {
  await begin('closed', 'Failed');
  const { code, stderr } = await run(['rollout', 'approve', 'closed', '--stack', 'Steproll']);
  expect(code).toBe(1);
  expect(stderr).toContain('"steproll rollout show closed --engine aws --stack Steproll"');
  expect(await run(['rollout', 'show', 'nobody'])).toMatchObject({
    stderr: expect.stringContaining('"steproll rollout list --engine aws --stack Steproll"'),
  });
});

test('show says how the execution stands of a rollout that the ledger does not know', async () => {
  expect(await run(['rollout', 'show', 'refused'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /ledger knows no rollout.* ended as FAILED: Another rollout holds/,
    ),
  });
  expect(await run(['rollout', 'show', 'waits'])).toMatchObject({
    stderr: expect.stringContaining('Its execution is under way.'),
  });
});

test('resume asks for nothing that the stack knows: it says that nothing is resumed on AWS', async () => {
  const { code, stderr } = await run(['rollout', 'resume', 'closed']);
  expect(code).toBe(2);
  expect(stderr).toContain('on AWS no rollout waits to be resumed');
  expect(stderr).toContain('1 mistake');
});

test('plan takes the service from the stack', async () => {
  // Nobody lets the call through, so that it goes nowhere.
  const proxy = { HTTPS_PROXY: 'http://127.0.0.1:1', STEPROLL_TOKEN: 'canary' };
  const { code, stderr } = await run(
    ['rollout', 'plan', 'shop', '--version', '7', '--debug'],
    proxy,
  );
  expect(code).not.toBe(0);
  expect(stderr).not.toContain('Invalid arguments');
  expect(stderr).toContain('https://endpoints.example.com/runtime');
});

describe('what keeps a command from AWS', () => {
  test('a stack that is not there: exit 2, and how to name another', async () => {
    expect(await run(['rollout', 'list', '--stack', 'Nobody'])).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^StackNotFound: There is no stack Nobody .*--stack/),
    });
  });

  test('C11: AWS out of reach: exit 3, and what to look at', async () => {
    const nowhere = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
    expect(await run(['rollout', 'list'], nowhere)).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^AwsUnavailable: [\s\S]*AWS_ENDPOINT_URL/),
    });
  });

  test('an option that would be ignored: exit 2, and what to do', async () => {
    const args = ['rollout', 'list', '--region', 'eu-1', '--endpoint-url', 'https://a.example'];
    expect(await run(args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/2 mistakes:[\s\S]*--endpoint-url: [\s\S]*AWS_REGION/),
    });
  });

  test('nothing to resume there: exit 2', async () => {
    const args = ['rollout', 'resume', 'x', '--endpoint-url', 'http://127.0.0.1:1'];
    expect(await run(args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('rollout retry'),
    });
  });
});
