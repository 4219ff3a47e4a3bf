import { ExecutionAlreadyExists, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from '@jest/globals';
import { openRollContext } from '../../lib/adapters/lambda/step-context.ts';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { ErrorName } from '../../lib/domain/errors.ts';
import { withChildren } from '../../lib/handlers/start-child.ts';
import { silenceLogs } from '../support/silence-logs.ts';
import { MACHINE_ARN } from '../support/status-change.ts';
import { writeStepEnv } from '../support/step-env.ts';
import { doubleStarts } from './starts-double.ts';

const { stepFunctions, table, order, started } = doubleStarts();

const ID = 'child-0123456789abcdef01234567';
const INPUT = {
  schemaVersion: 1,
  runtimeId: 'tenant-a',
  version: 7,
  parent: 'release-1',
  startedBy: { kind: 'release', name: 'build-7', at: 1 },
} as const;

beforeAll(() => {
  silenceLogs();
  const config = parseConfig({ endpointUrl: 'https://endpoints.example.com' });
  Object.assign(process.env, {
    ...writeStepEnv(config, { tableName: 'rollouts', eventBusName: 'none' }),
    AWS_REGION: 'eu-central-1',
  });
});

/** As the step calls it whose state machine has called the function. */
async function startChild(): Promise<void> {
  const payload = { batch: {}, stateMachineArn: MACHINE_ARN };
  const { groups } = withChildren(payload, await openRollContext());
  await groups?.startChild?.(ID, INPUT);
}

test('a runtime of a group is an execution of the same state machine, and then in the ledger', async () => {
  await startChild();
  expect(order).toEqual(['start', 'record']);
  expect(started()).toEqual([
    { stateMachineArn: MACHINE_ARN, name: ID, input: JSON.stringify(INPUT) },
  ]);
  expect(table.commandCalls(UpdateCommand)[0]?.args[0].input).toMatchObject({
    TableName: 'rollouts',
    Key: { pk: `rollout#${ID}`, sk: 'rollout' },
    ConditionExpression: 'attribute_not_exists(#request) AND attribute_not_exists(#leaseLost)',
  });
});

test('X05: an execution of this name has been started, and that is no error', async () => {
  stepFunctions
    .on(StartExecutionCommand)
    .rejects(new ExecutionAlreadyExists({ message: 'taken', $metadata: {} }));
  await startChild();
  expect(order).toEqual(['record']);
});

test.each([
  ['ThrottlingException', ErrorName.UpstreamThrottled],
  ['AccessDeniedException', ErrorName.UpstreamAuth],
])(
  'A02: after %s nothing was started, it is tried no second time, and the ledger has nothing of it',
  async (name, known) => {
    stepFunctions.on(StartExecutionCommand).rejects(Object.assign(new Error('no'), { name }));
    await expect(startChild()).rejects.toMatchObject({ name: known });
    expect(started()).toHaveLength(1);
    expect(order).toEqual([]);
  },
);

test('what is no state machine starts nothing', async () => {
  const { groups } = withChildren({ batch: {} }, await openRollContext());
  await expect(groups?.startChild?.(ID, INPUT)).rejects.toMatchObject({
    name: ErrorName.InvalidInput,
    message: expect.stringContaining('stateMachineArn: missing'),
  });
  expect(started()).toEqual([]);
});
