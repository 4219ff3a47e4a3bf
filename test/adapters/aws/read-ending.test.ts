import { GetExecutionHistoryCommand, SFNClient } from '@aws-sdk/client-sfn';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { readEnding } from '../../../lib/adapters/aws/executions.ts';

const client = new SFNClient({ region: 'eu-central-1' });
const stepFunctions = mockClient(client);
const ARN = 'arn:aws:states:eu-central-1:123456789012:execution:rollout:rollout-1';

beforeEach(() => {
  stepFunctions.reset();
});

/** The end of a history, the newest event first. */
function endsWith(input?: string) {
  const timestamp = new Date(0);
  const events = [
    { timestamp, id: 9, type: 'ExecutionFailed' as const },
    {
      timestamp,
      id: 8,
      type: 'FailStateEntered' as const,
      stateEnteredEventDetails: { name: 'Rollout failed', input },
    },
  ];
  stepFunctions.on(GetExecutionHistoryCommand).resolves({ events });
}

describe('how the workflow ended a rollout', () => {
  test('stands in what its last state was given', async () => {
    const outcome = { outcome: 'Errored', cleanup: 'none', reason: 'UpstreamAuth', message: 'No.' };
    endsWith(JSON.stringify(outcome));

    expect(await readEnding(client, ARN)).toEqual({ outcome: 'Errored', reason: 'UpstreamAuth' });
    const [call] = stepFunctions.commandCalls(GetExecutionHistoryCommand);
    expect(call?.args[0].input).toEqual({ executionArn: ARN, reverseOrder: true, maxResults: 2 });
  });

  test.each([undefined, '{', '{"outcome":"Odd","reason":"r"}', 'null'])(
    'is not known where that is no outcome: %s',
    async (input) => {
      endsWith(input);
      expect(await readEnding(client, ARN)).toBeNull();
    },
  );

  test('is not known to a role that may not read it', async () => {
    const refused = Object.assign(new Error('no'), { name: 'AccessDeniedException' });
    stepFunctions.on(GetExecutionHistoryCommand).rejects(refused);
    expect(await readEnding(client, ARN)).toBeNull();
  });

  test('may be asked for again after any other error', async () => {
    stepFunctions.on(GetExecutionHistoryCommand).rejects(new Error('Rate exceeded'));
    await expect(readEnding(client, ARN)).rejects.toThrow('Rate exceeded');
  });
});
