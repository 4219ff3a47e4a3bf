import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { beforeEach, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { publishRelease } from '../../../lib/adapters/aws/stack.ts';

const client = new EventBridgeClient({ region: 'eu-central-1' });
const eventBridge = mockClient(client);
const RELEASE = { runtimeId: 'shop', version: 7, releaseId: 'build-1' };
const publish = () => publishRelease(client, 'steproll', RELEASE);

beforeEach(() => {
  eventBridge.reset();
});

test('a release goes to the bus as a release event, and its id is answered', async () => {
  eventBridge
    .on(PutEventsCommand)
    .resolves({ FailedEntryCount: 0, Entries: [{ EventId: 'event-1' }] });

  expect(await publish()).toBe('event-1');
  const [call] = eventBridge.commandCalls(PutEventsCommand);
  expect(call?.args[0].input).toEqual({
    Entries: [
      {
        EventBusName: 'steproll',
        Source: 'steproll.release',
        DetailType: 'Release Published',
        Detail: JSON.stringify(RELEASE),
      },
    ],
  });
});

test('A14: an entry that the bus refuses is an error, although the call succeeds', async () => {
  const refusal = { ErrorCode: 'InternalFailure', ErrorMessage: 'later' };
  eventBridge.on(PutEventsCommand).resolves({ FailedEntryCount: 1, Entries: [refusal] });

  await expect(publish()).rejects.toMatchObject({
    name: 'EventsUnavailable',
    message: expect.stringContaining('InternalFailure: later'),
  });
});

test('a call that fails is AWS being out of reach', async () => {
  eventBridge.on(PutEventsCommand).rejects(new Error('socket hang up'));

  await expect(publish()).rejects.toMatchObject({
    name: 'AwsUnavailable',
    message: expect.stringContaining('announce a release on the bus steproll'),
  });
});
