import { ExecutionAlreadyExists, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { handler } from '../../functions/start.ts';
import { TRIGGERS_FILE, writeTriggers } from '../../lib/contract/functions/code-files.ts';
import { writeFunctionEnv } from '../../lib/contract/functions/environment.ts';
import { dueSchedule, ECR_MAPPING, imagePush, ownRelease } from '../contract/trigger-examples.ts';
import { createCodeFolder } from '../support/code-folder.ts';
import { silenceLogs } from '../support/silence-logs.ts';
import { doubleStarts } from './starts-double.ts';

const STATE_MACHINE = 'arn:aws:states:eu-central-1:123456789012:stateMachine:rollout';
const { stepFunctions, table, order, started } = doubleStarts();
const justNow = () => new Date().toISOString();

/** More than an environment of 4 KB holds. */
const runtimes = ['shop', ...Array.from({ length: 1_000 }, (_, index) => `runtime-${index}`)];
const code = createCodeFolder({
  [TRIGGERS_FILE]: writeTriggers({
    rules: { runtimes, groups: ['prod'], maxAgeSeconds: 900 },
    releases: [ECR_MAPPING],
  }),
});

beforeAll(() => {
  silenceLogs();
  Object.assign(process.env, {
    ...writeFunctionEnv({ stateMachineArn: STATE_MACHINE, tableName: 'rollouts' }),
    ...code,
    AWS_REGION: 'eu-central-1',
  });
});

test.each([
  ['a release event', () => ownRelease({}, { time: justNow() })],
  ['an image push', () => imagePush({}, { time: justNow() })],
  ['a schedule', () => dueSchedule({ scheduledAt: justNow() })],
])('%s starts an execution of the workflow', async (_, payload) => {
  const answer = (await handler(payload())) as { readonly rolloutId: string };
  expect(answer).toMatchObject({ result: 'started', runtimeId: 'shop' });
  expect(started()).toEqual([
    {
      stateMachineArn: STATE_MACHINE,
      name: answer.rolloutId,
      input: expect.stringMatching(
        /^\{"schemaVersion":1,"runtimeId":"shop","version":7,"startedBy":\{"kind":"\w+","name":"[\w-]+","at":\d+\}\}$/,
      ),
    },
  ]);
});

test('a release of a group starts an execution for the group', async () => {
  const release = ownRelease({ runtimeId: undefined, group: 'prod' }, { time: justNow() });
  expect(await handler(release)).toMatchObject({ result: 'started', runtimeId: 'group:prod' });
  const [{ input = '' } = {}] = started();
  expect(JSON.parse(input)).toMatchObject({ runtimeId: 'group:prod', version: 7 });
});

test('a trigger is in the ledger before its execution is started', async () => {
  const { rolloutId } = (await handler(ownRelease({}, { time: justNow() }))) as {
    readonly rolloutId: string;
  };
  expect(order).toEqual(['record', 'start']);
  expect(table.commandCalls(UpdateCommand)[0]?.args[0].input).toMatchObject({
    TableName: 'rollouts',
    Key: { pk: `rollout#${rolloutId}`, sk: 'rollout' },
    ConditionExpression: 'attribute_not_exists(#request) AND attribute_not_exists(#leaseLost)',
  });
});

test('what the ledger does not take is not started, and thrown', async () => {
  table.on(UpdateCommand).rejects(new Error('throttled'));
  await expect(handler(ownRelease({}, { time: justNow() }))).rejects.toMatchObject({
    name: 'LedgerUnavailable',
  });
  expect(order).toEqual([]);
});

test('E01: an execution that exists is a duplicate, answered and not thrown', async () => {
  stepFunctions
    .on(StartExecutionCommand)
    .rejects(new ExecutionAlreadyExists({ message: 'taken', $metadata: {} }));
  expect(await handler(ownRelease({}, { time: justNow() }))).toMatchObject({ result: 'duplicate' });
});

describe('a refusal is thrown under its name, so that the event is kept, and nothing is called', () => {
  test.each([
    ['E04: StaleTrigger', ownRelease({}, { time: '2026-01-01T00:00:00Z' })],
    ['E06: InvalidTrigger', ownRelease({ note: 'x' }, { time: justNow() })],
    ['E07: UnknownRuntime', ownRelease({ runtimeId: '*' }, { time: justNow() })],
    [
      'E07: UnknownRuntime',
      ownRelease({ runtimeId: undefined, group: 'prd' }, { time: justNow() }),
    ],
  ])('%s', async (title, payload) => {
    await expect(handler(payload)).rejects.toMatchObject({ name: title.replace(/^.*: /, '') });
    expect(started()).toEqual([]);
  });
});

test('what keeps an execution from being started is thrown on, to be tried again', async () => {
  const error = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  stepFunctions.on(StartExecutionCommand).rejects(error);
  await expect(handler(ownRelease({}, { time: justNow() }))).rejects.toBe(error);
});
