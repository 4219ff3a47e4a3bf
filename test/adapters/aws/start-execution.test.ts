import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { createExecutionStarter } from '../../../lib/adapters/aws/executions.ts';

const STATE_MACHINE = 'arn:aws:states:eu-central-1:123456789012:stateMachine:rollout';
const INPUT = { schemaVersion: 1, runtimeId: 'shop', version: 7 };

test('an execution is started under its name, with its input', async () => {
  const { start, mock } = starter();
  mock.on(StartExecutionCommand).resolves({});

  expect(await start('release-1', INPUT)).toBe('started');
  expect(mock.calls().map(({ args }) => args[0].input)).toEqual([
    { stateMachineArn: STATE_MACHINE, name: 'release-1', input: JSON.stringify(INPUT) },
  ]);
});

test('E01: a name that is taken is a duplicate, and no error', async () => {
  const { start, mock } = starter();
  mock
    .on(StartExecutionCommand)
    .rejects(new ExecutionAlreadyExists({ message: 'taken', $metadata: {} }));

  expect(await start('release-1', INPUT)).toBe('duplicate');
});

test.each(['ExecutionLimitExceeded', 'StateMachineDoesNotExist', 'AccessDeniedException'])(
  '%s is thrown on as it is',
  async (name) => {
    const { start, mock } = starter();
    const error = Object.assign(new Error('no'), { name });
    mock.on(StartExecutionCommand).rejects(error);

    await expect(start('release-1', INPUT)).rejects.toBe(error);
  },
);

function starter() {
  const client = new SFNClient({ region: 'eu-central-1' });
  return { start: createExecutionStarter(client, STATE_MACHINE), mock: mockClient(client) };
}
