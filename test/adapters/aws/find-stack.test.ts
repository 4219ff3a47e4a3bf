import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { findStack } from '../../../lib/adapters/aws/stack.ts';

const client = new CloudFormationClient({ region: 'eu-central-1' });
const cloudFormation = mockClient(client);

const OUTPUTS = {
  EndpointUrl: 'https://endpoints.example.com/runtime',
  StateMachineArn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:rollout',
  TableName: 'ledger',
  EventBusName: 'steproll',
  ListFunctionName: 'list',
};

beforeEach(() => {
  cloudFormation.reset();
});

function answer(outputs: Readonly<Record<string, string>>, StackId?: string) {
  const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({
    OutputKey,
    OutputValue,
  }));
  const stack = { StackName: 'Steproll', CreationTime: new Date(), StackStatus: 'CREATE_COMPLETE' };
  cloudFormation
    .on(DescribeStacksCommand)
    .resolves({ Stacks: [{ ...stack, StackStatus: 'CREATE_COMPLETE', StackId, Outputs }] });
}

const refuse = (name: string, message: string) =>
  cloudFormation.on(DescribeStacksCommand).rejects(Object.assign(new Error(message), { name }));

describe('a stack', () => {
  test('is asked for by its name, and says where its parts are', async () => {
    answer(OUTPUTS, 'arn:aws:cloudformation:eu-central-1:123456789012:stack/Steproll/1');

    expect(await findStack(client, 'Steproll')).toEqual({
      account: '123456789012',
      region: 'eu-central-1',
      stateMachineArn: OUTPUTS.StateMachineArn,
      tableName: 'ledger',
      eventBusName: 'steproll',
      endpointUrl: 'https://endpoints.example.com/runtime',
    });
    const [call] = cloudFormation.commandCalls(DescribeStacksCommand);
    expect(call?.args[0].input).toEqual({ StackName: 'Steproll' });
  });

  test.each(['StateMachineArn', 'TableName', 'EventBusName', 'EndpointUrl'])(
    'without the output %s is none of ours',
    async (missing) => {
      answer(Object.fromEntries(Object.entries(OUTPUTS).filter(([key]) => key !== missing)));

      await expect(findStack(client, 'Other')).rejects.toMatchObject({
        name: 'StackNotFound',
        message: expect.stringMatching(
          new RegExp(`^The stack Other \\(CREATE_COMPLETE\\) has no output ${missing}: .*--stack`),
        ),
      });
    },
  );

  test('that is not there: it says where to look for it', async () => {
    refuse('ValidationError', 'Stack with id Nobody does not exist');

    await expect(findStack(client, 'Nobody')).rejects.toMatchObject({
      name: 'StackNotFound',
      message: expect.stringContaining('--stack or STEPROLL_STACK'),
    });
  });

  test('of which AWS says nothing may be there', async () => {
    refuse('ValidationError', 'Rate exceeded');

    await expect(findStack(client, 'Steproll')).rejects.toMatchObject({
      name: 'AwsUnavailable',
      message: expect.stringContaining('Could not read the stack Steproll: '),
    });
  });
});
