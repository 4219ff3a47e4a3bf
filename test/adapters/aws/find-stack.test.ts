import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { findStack } from '../../../lib/adapters/aws/find-stack.ts';

const client = new CloudFormationClient({ region: 'eu-central-1' });
const cloudFormation = mockClient(client);

const PARTS = {
  EndpointUrl: 'https://endpoints.example.com/runtime',
  StateMachineArn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:rollout',
  TableName: 'ledger',
  EventBusName: 'steproll',
};
const outputsOf = (id: string, parts: Readonly<Record<string, string>> = PARTS) =>
  Object.fromEntries(Object.entries(parts).map(([name, value]) => [`${id}${name}`, value]));
const OUTPUTS = { ...outputsOf('Rollouts'), RolloutsListFunctionName: 'list' };

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
      ...PARTS,
    });
    const [call] = cloudFormation.commandCalls(DescribeStacksCommand);
    expect(call?.args[0].input).toEqual({ StackName: 'Steproll' });
  });

  test('is found in a stack of somebody else, beside other outputs', async () => {
    answer({ ...OUTPUTS, OtherStateMachineArn: 'arn:of-another', Url: 'https://shop.example' });

    expect(await findStack(client, 'Shop')).toMatchObject(PARTS);
    expect(await findStack(client, 'Shop/Rollouts')).toMatchObject(PARTS);
  });

  test('with several instances is asked for with the id of one, as the app has it', async () => {
    const test = { ...PARTS, TableName: 'test', HistoryDays: '30' };
    answer({ ...OUTPUTS, ...outputsOf('FleetTest1', test) });

    expect(await findStack(client, 'Shop/Fleet/Test-1')).toMatchObject({
      TableName: 'test',
      HistoryDays: 30,
    });
    for (const name of ['Shop', 'Shop/Prod']) {
      await expect(findStack(client, name)).rejects.toMatchObject({
        name: 'StackNotFound',
        message: expect.stringContaining('--stack takes one of Shop/FleetTest1, Shop/Rollouts.'),
      });
    }
  });

  test.each(Object.keys(PARTS))('without the output %s is none of ours', async (missing) => {
    answer(Object.fromEntries(Object.entries(OUTPUTS).filter(([key]) => !key.endsWith(missing))));

    await expect(findStack(client, 'Other')).rejects.toMatchObject({
      name: 'StackNotFound',
      message: expect.stringMatching(
        /^The stack Other \(CREATE_COMPLETE\) has no outputs of steproll, .*`outputs` is false\. .*--stack/,
      ),
    });
  });

  test('that is not there: it says where to look for it', async () => {
    refuse('ValidationError', 'Stack with id Nobody does not exist');

    await expect(findStack(client, 'Nobody')).rejects.toMatchObject({
      name: 'StackNotFound',
      message: expect.stringContaining('--stack or STEPROLL_STACK'),
    });
  });

  test('that is not there: it says what is', async () => {
    const stack = { CreationTime: new Date(), StackStatus: 'CREATE_COMPLETE' as const };
    const listed = (outputs: Readonly<Record<string, string>>) =>
      Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
    cloudFormation.on(DescribeStacksCommand).resolves({
      Stacks: [
        { ...stack, StackName: 'Shop', Outputs: listed(OUTPUTS) },
        { ...stack, StackName: 'Network' },
        { ...stack, StackName: 'Fleet', Outputs: listed({ ...outputsOf('A'), ...outputsOf('B') }) },
      ],
    });
    const gone = Object.assign(new Error('Stack with id Nobody does not exist'), {
      name: 'ValidationError',
    });
    cloudFormation.on(DescribeStacksCommand, { StackName: 'Nobody' }).rejects(gone);

    await expect(findStack(client, 'Nobody')).rejects.toMatchObject({
      message: expect.stringContaining('What is there: Fleet/A, Fleet/B, Shop. Name it'),
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
