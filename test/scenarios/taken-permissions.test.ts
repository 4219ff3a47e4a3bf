import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { createAwsSecret } from '../../lib/adapters/credentials/secrets.ts';
import { createAlarmReader } from '../../lib/adapters/gates/alarm.ts';
import { createCheckAsker } from '../../lib/adapters/gates/check.ts';
import { invokeFunction } from '../../lib/adapters/gates/invoke-function.ts';
import { createQuerier } from '../../lib/adapters/gates/query-prometheus.ts';
import type { CheckAnswer } from '../../lib/gates/check-answer.ts';
import { rollDouble } from '../support/agentcore/roll-double.ts';
import { onGroupStage } from '../support/group-stage.ts';
import { runScenario } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';
import { SECRET_ARN } from '../support/secrets-manager.ts';

// In mid-rollout somebody deploys a configuration that no longer names something. From then on AWS refuses the calls that
// need it, and the adapters make of that what they make of it in a function.

const DEPLOYED_AT = 100;
const WAVES = { waves: [{ endpoints: 1 }, { percent: 100 }], bakeSeconds: 120 } as const;
const FUNCTION = 'AWS_LAMBDA_FUNCTION_NAME';
const SMOKE = 'arn:aws:lambda:eu-central-1:123456789012:function:smoke';

const REFUSAL = Object.assign(new Error('User: Steproll-Role is not authorized to perform: it'), {
  ...{ name: 'AccessDeniedException', $fault: 'client', $metadata: { httpStatusCode: 400 } },
});

const SECRET = { awsSecret: SECRET_ARN };
const ORDERS = { name: 'orders', url: 'https://checks.example.com', secret: SECRET, when: 'bake' };
const QUERY = {
  ...{ name: 'errors', url: 'https://prometheus.example.com', query: 'up', above: 1 },
  auth: { kind: 'bearer', secret: SECRET },
};

/** What the adapters answer to a role that lacks the permission. */
async function refusals() {
  const cloudWatch = new CloudWatchClient({ region: 'eu-central-1' });
  const lambda = new LambdaClient({ region: 'eu-central-1' });
  const secrets = mockClient(SecretsManagerClient);
  mockClient(cloudWatch).on(DescribeAlarmsCommand).rejects(REFUSAL);
  mockClient(lambda).on(InvokeCommand).rejects(REFUSAL);
  secrets.on(GetSecretValueCommand).rejects(REFUSAL);
  try {
    const read = createAwsSecret(SECRET_ARN, { now: () => 0 }).read({ fresh: false });
    return {
      alarm: await createAlarmReader(cloudWatch)('shop-5xx'),
      check: await invokeFunction(SMOKE, {} as never, 5, { client: lambda }),
      signedCheck: await createCheckAsker()(ORDERS as never, {} as never),
      query: await createQuerier(null as never)(QUERY as never, 'up', null),
      secret: await read.catch((error: unknown) => error),
    };
  } finally {
    secrets.restore();
  }
}

const ofMachine = await refusals();
let ofFunction: Awaited<ReturnType<typeof refusals>>;
const before = process.env[FUNCTION];

beforeAll(async () => {
  process.env[FUNCTION] = 'look';
  ofFunction = await refusals();
});

afterAll(() => {
  if (before === undefined) delete process.env[FUNCTION];
  else process.env[FUNCTION] = before;
});

const isDeployed = () => secondsSinceStart() >= DEPLOYED_AT;
const YES: CheckAnswer = { verdict: 'pass', detail: 'SUCCEEDED' };
const later = (taken: CheckAnswer) => async () => (isDeployed() ? taken : YES);

describe('the outcome says what a deployment took, and which line gives it back', () => {
  test('a runtime of AgentCore', async () => {
    let updates = 0;
    const run = await rollDouble({
      disturb({ operation }) {
        if (operation !== 'UpdateAgentRuntimeEndpoint') return null;
        updates += 1;
        return updates > 2 ? { kind: 'error', name: 'AccessDeniedException' } : null;
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled' });
    expect(run.outcome.message).toMatch(
      /later deployment took this permission.*: PUT .*AccessDeniedException[\s\S]*Name the earlier configuration that has the runtime under retired[\s\S]*retry or revert/,
    );
    expect(run.outcome.message).not.toMatch(/role that you use|Correct them/);
    expect(run.rolled).toHaveLength(2);
  });

  test('a runtime that the deployment may never have named', async () => {
    const { outcome } = await rollDouble({
      disturb: ({ operation }) =>
        operation === 'UpdateAgentRuntimeEndpoint'
          ? { kind: 'error', name: 'AccessDeniedException' }
          : null,
    });

    expect(outcome.message).toMatch(/does not give this permission, or a later one took it/);
  });

  test.each(['onList', 'onRoll'] as const)('a secret of the service, %s', async (call) => {
    const { outcome } = await runScenario({
      ...{ endpoints: 2, policy: WAVES },
      faults: {
        [call]: <T>(carryOut: () => T): T => {
          if (isDeployed()) throw ofFunction.secret;
          return carryOut();
        },
      },
    });

    expect(outcome.outcome).not.toBe('Succeeded');
    expect(outcome.message).toMatch(
      /later deployment took this permission.*: the secret steproll\/token cannot be read: AccessDeniedException[\s\S]*Name the earlier configuration that has the secret under retired[\s\S]*retry or revert/,
    );
  });

  test.each([
    ['alarm shop-5xx', { alarms: ['shop-5xx'] }, () => ofFunction.alarm],
    [
      'check smoke',
      { checks: [{ name: 'smoke', lambda: SMOKE, when: 'bake' }] },
      () => ofFunction.check,
    ],
    [
      'check smoke',
      { checks: [{ name: 'smoke', lambda: SMOKE, when: 'before-wave' }] },
      () => ofFunction.check,
    ],
    ['check orders', { checks: [ORDERS] }, () => ofFunction.signedCheck],
    ['query errors', { prometheus: [QUERY] }, () => ofFunction.query],
  ])('a gate: %s', async (name, verify, taken) => {
    const { outcome } = await runScenario({
      endpoints: 2,
      policy: { ...WAVES, verify: { approval: null, ...verify } },
      gates: {
        alarm: later(taken() as CheckAnswer),
        check: later(taken() as CheckAnswer),
        prometheus: later(taken() as CheckAnswer),
      },
    });

    expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown', cleanup: 'none' });
    expect(outcome.message).toMatch(
      new RegExp(
        `later deployment took the permission to ask: ${name}\\. Name the earlier configuration that has that under retired.*retry or revert`,
      ),
    );
  });

  test('a runtime of a group whose turn has not come: it is not rolled without its own policy', () =>
    onGroupStage(
      {
        runtimes: ['a', 'b', 'c'],
        isNamed: (runtimeId) => runtimeId !== 'b' || !isTaken(),
        policy: { onFailure: 'roll-back' },
      },
      async (stage) => {
        isTaken = () => stage.calls.some(({ operation }) => operation === 'roll');
        const machine = stage.createStateMachine();
        const outcome = await machine.run('release-1', 2);
        expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
        expect(outcome.message).toMatch(
          /later deployment took the runtime b out of the configuration[\s\S]*Name the earlier configuration that has it under retired[\s\S]*retry or revert/,
        );
        await machine.end();
        // What was rolled goes back, whatever the configuration names by now.
        for (const id of ['a', 'b', 'c']) {
          expect(new Set(stage.liveVersions(id))).toEqual(new Set([1]));
        }
        expect((await stage.children('release-1')).get('b')?.plan).toBeNull();
      },
    ));
});

let isTaken = () => false;

describe('a deployment that gives it back in time is enough', () => {
  const GIVEN_BACK_AT = 400;
  const isMissing = () => isDeployed() && secondsSinceStart() < GIVEN_BACK_AT;

  test('a runtime of AgentCore', async () => {
    const run = await rollDouble({
      disturb: ({ operation }) =>
        operation === 'UpdateAgentRuntimeEndpoint' && isMissing()
          ? { kind: 'error', name: 'AccessDeniedException' }
          : null,
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.seconds).toBeGreaterThan(GIVEN_BACK_AT);
  });

  test('an alarm', async () => {
    const { outcome } = await runScenario({
      endpoints: 2,
      policy: { ...WAVES, verify: { approval: null, alarms: ['shop-5xx'] } },
      gates: { alarm: async () => (isMissing() ? ofFunction.alarm : YES) },
    });

    expect(outcome).toMatchObject({ outcome: 'Succeeded' });
  });
});

test('on one machine no deployment is blamed', async () => {
  const { outcome } = await runScenario({
    endpoints: 2,
    policy: { ...WAVES, verify: { approval: null, alarms: ['shop-5xx'] } },
    gates: { alarm: later(ofMachine.alarm) },
  });

  expect(ofMachine.secret).toMatchObject({ name: 'SecretUnavailable' });
  expect(outcome.message).toContain('alarm shop-5xx: AccessDeniedException');
  expect(outcome.message).not.toMatch(/deployment/);
});
