import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  InvalidArn,
  SFNClient,
} from '@aws-sdk/client-sfn';
import { beforeEach, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { describeExecution } from '../../../lib/adapters/aws/executions.ts';
import { EXECUTIONS_ARN, MACHINE_ARN } from '../../support/status-change.ts';

const client = new SFNClient({ region: 'eu-central-1' });
const stepFunctions = mockClient(client);
const describe = () => describeExecution(client, MACHINE_ARN, 'rollout-1');

beforeEach(() => {
  stepFunctions.reset();
});

test('the execution of the rollout is asked for by its name, without what it carries', async () => {
  stepFunctions
    .on(DescribeExecutionCommand)
    .resolves({ status: 'FAILED', error: 'States.Runtime' });

  expect(await describe()).toEqual({ status: 'FAILED', error: 'States.Runtime' });

  const [call] = stepFunctions.commandCalls(DescribeExecutionCommand);
  expect(call?.args[0].input).toEqual({
    executionArn: `${EXECUTIONS_ARN}:rollout-1`,
    includedData: 'METADATA_ONLY',
  });
});

test.each([
  new ExecutionDoesNotExist({ message: 'Execution does not exist', $metadata: {} }),
  new InvalidArn({ message: 'Invalid ARN', $metadata: {} }),
])('$name: there is no such execution', async (error) => {
  stepFunctions.on(DescribeExecutionCommand).rejects(error);

  expect(await describe()).toEqual({ status: 'NOT_FOUND' });
});

test('any other error says nothing of the execution', async () => {
  const error = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
  stepFunctions.on(DescribeExecutionCommand).rejects(error);

  await expect(describe()).rejects.toBe(error);
});
