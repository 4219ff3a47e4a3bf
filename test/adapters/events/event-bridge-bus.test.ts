import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { createEventBridgeBus } from '../../../lib/adapters/events/event-bridge-bus.ts';
import { toLifecycleEvent } from '../../../lib/contract/event.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import { AT, everyEvent } from '../../domain/events/examples.ts';

const client = new EventBridgeClient({ region: 'eu-central-1' });
const eventBridge = mockClient(client);
const bus = createEventBridgeBus({
  ...{ eventBusName: 'steproll', stackName: 'Steproll' },
  putEvent: (entry) => client.send(new PutEventsCommand({ Entries: [entry] })),
});
const event = everyEvent().at(-1) as RolloutEvent;

beforeEach(() => {
  eventBridge.reset();
});
afterAll(() => client.destroy());

test.each(everyEvent())(
  'sends $eventId as one entry, in the shape of the contract',
  async (told) => {
    eventBridge.on(PutEventsCommand).resolves({ FailedEntryCount: 0 });

    await bus.publish(told);

    const { detailType, detail } = toLifecycleEvent(told);
    const [call, ...others] = eventBridge.commandCalls(PutEventsCommand);
    expect(others).toEqual([]);
    expect(call?.args[0].input).toEqual({
      Entries: [
        {
          EventBusName: 'steproll',
          Source: 'steproll',
          DetailType: detailType,
          Detail: expect.any(String),
          Time: new Date(AT),
        },
      ],
    });
    const [entry] = call?.args[0].input.Entries ?? [];
    const { chat, ...sent } = JSON.parse(entry?.Detail ?? '');
    expect(sent).toEqual(detail);
    expect(chat).toMatchObject({ version: '1.0' });
  },
);

test('A14: an entry that was refused, though the call went well, was not sent', async () => {
  eventBridge.on(PutEventsCommand).resolves({
    FailedEntryCount: 1,
    Entries: [{ ErrorCode: 'ThrottlingException', ErrorMessage: 'Rate exceeded' }],
  });

  await expect(bus.publish(event)).rejects.toMatchObject({
    name: 'EventsUnavailable',
    message: 'The event bus steproll did not take an event: ThrottlingException: Rate exceeded',
  });
});

test('A14: an answer that does not say whether the entry was taken is no yes', async () => {
  eventBridge.on(PutEventsCommand).resolves({});

  await expect(bus.publish(event)).rejects.toMatchObject({ name: 'EventsUnavailable' });
});

test('a bus that gives no answer, or no access, is named with the cause', async () => {
  const cause = Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' });
  eventBridge.on(PutEventsCommand).rejects(cause);

  await expect(bus.publish(event)).rejects.toMatchObject({
    name: 'EventsUnavailable',
    message: 'The event bus steproll did not take an event: AccessDeniedException: not authorized',
    cause,
  });
});
