import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';

/** Doubles of the two services that a start calls, for the tests of the file that asks for them. */
export function doubleStarts() {
  const stepFunctions = mockClient(SFNClient);
  const table = mockClient(DynamoDBDocumentClient);
  /** What was called, in order. */
  const order: ('record' | 'start')[] = [];

  beforeEach(() => {
    stepFunctions.reset();
    table.reset();
    order.length = 0;
    table.on(UpdateCommand).callsFake(async () => {
      order.push('record');
      return { Attributes: {} };
    });
    stepFunctions.on(StartExecutionCommand).callsFake(async () => {
      order.push('start');
      return {};
    });
  });

  afterAll(() => {
    stepFunctions.restore();
    table.restore();
  });

  const started = () =>
    stepFunctions.commandCalls(StartExecutionCommand).map(({ args }) => args[0].input);
  return { stepFunctions, table, order, started };
}
