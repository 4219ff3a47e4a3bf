import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  GetExecutionHistoryCommand,
  InvalidArn,
  SFNClient,
} from '@aws-sdk/client-sfn';
import { beforeEach, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { readExecution } from '../../../lib/adapters/aws/executions.ts';

const client = new SFNClient({ region: 'eu-central-1' });
const stepFunctions = mockClient(client);
const ARN = 'arn:aws:states:eu-central-1:123456789012:execution:rollout:rollout-1';

beforeEach(() => {
  stepFunctions.reset();
});

test.each([
  [{ status: 'RUNNING' }, { status: 'RUNNING' }],
  [{ status: 'PENDING_REDRIVE' }, { status: 'RUNNING' }],
  [
    { status: 'FAILED', error: 'States.Runtime', cause: 'No such field.' },
    {
      status: 'FAILED',
      cause: 'No such field.',
      ending: { outcome: 'Errored', reason: 'States.Runtime' },
    },
  ],
] as const)('what AWS says: %j', async (said, state) => {
  stepFunctions.on(DescribeExecutionCommand).resolves(said);

  expect(await readExecution(client, ARN)).toEqual(state);
  const [call] = stepFunctions.commandCalls(DescribeExecutionCommand);
  expect(call?.args[0].input).toEqual({ executionArn: ARN });
});

test('one that the workflow ended has the outcome that it ended with', async () => {
  const said = { status: 'FAILED', error: 'RolloutFailed', cause: 'Away.' } as const;
  const input = JSON.stringify({ outcome: 'Errored', reason: 'UpstreamTransient' });
  const entered = { timestamp: new Date(0), id: 1, type: 'FailStateEntered' } as const;
  const events = [{ ...entered, stateEnteredEventDetails: { name: 'x', input } }];
  stepFunctions.on(DescribeExecutionCommand).resolves(said);
  stepFunctions.on(GetExecutionHistoryCommand).resolves({ events });

  expect(await readExecution(client, ARN)).toEqual({
    status: 'FAILED',
    cause: 'Away.',
    ending: { outcome: 'Errored', reason: 'UpstreamTransient' },
  });
});

test.each([
  ['that is not there', new ExecutionDoesNotExist({ message: 'none', $metadata: {} })],
  ['of a name that none can have', new InvalidArn({ message: 'no', $metadata: {} })],
])('an execution %s', async (_, error) => {
  stepFunctions.on(DescribeExecutionCommand).rejects(error);

  expect(await readExecution(client, ARN)).toEqual({ status: 'NOT_FOUND' });
});

test('any other error says nothing of the execution', async () => {
  stepFunctions.on(DescribeExecutionCommand).rejects(new Error('Rate exceeded'));

  await expect(readExecution(client, ARN)).rejects.toMatchObject({ name: 'AwsUnavailable' });
});
