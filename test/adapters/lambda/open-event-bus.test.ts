import { beforeEach, expect, jest, test } from '@jest/globals';
import { writeFunctionEnv } from '../../../lib/contract/functions/environment.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import { everyEvent } from '../../domain/events/examples.ts';

const [first, second] = everyEvent() as [RolloutEvent, RolloutEvent];
const clients: object[] = [];
const entries: object[] = [];
let isSdkLoaded = false;
let isBroken = false;

beforeEach(() => {
  jest.resetModules();
  clients.length = 0;
  entries.length = 0;
  isSdkLoaded = false;
  isBroken = false;
  jest.unstable_mockModule('@aws-sdk/client-eventbridge', () => {
    isSdkLoaded = true;
    return {
      EventBridgeClient: class {
        constructor(options: object) {
          if (isBroken) throw new Error('no credentials');
          clients.push(options);
        }
        send({ input }: { readonly input: { readonly Entries: object[] } }) {
          entries.push(...input.Entries);
          return Promise.resolve({ FailedEntryCount: 0 });
        }
      },
      PutEventsCommand: class {
        readonly input: object;
        constructor(input: object) {
          this.input = input;
        }
      },
    };
  });
});

test('the first events load the AWS SDK, and share one client that soon gives up', async () => {
  const { openEventBus } = await import('../../../lib/adapters/lambda/record-context.ts');
  const bus = openEventBus('steproll', 'Steproll');
  expect(isSdkLoaded).toBe(false);

  await Promise.all([bus.publish(first), bus.publish(second)]);

  expect(entries).toEqual([
    expect.objectContaining({ EventBusName: 'steproll' }),
    expect.objectContaining({ EventBusName: 'steproll' }),
  ]);
  expect(clients).toEqual([
    {
      requestHandler: expect.objectContaining({
        connectionTimeout: 2_000,
        requestTimeout: 5_000,
        throwOnRequestTimeout: true,
      }),
      maxAttempts: 2,
    },
  ]);
});

test('a command in a message names the stack of the function', async () => {
  const written = writeFunctionEnv({
    ...{ tableName: 'ledger', eventBusName: 'steproll', stackName: 'Shop-prod' },
  });
  const { openRecordContext } = await import('../../../lib/adapters/lambda/record-context.ts');
  const before = { ...process.env };
  Object.assign(process.env, written);
  const { events } = openRecordContext();
  process.env = before;

  await events.publish(first);

  expect(entries).toEqual([
    expect.objectContaining({ Detail: expect.stringContaining('--engine aws --stack Shop-prod`') }),
  ]);
});

test('an event that could not be sent is no reason for the next one not to be', async () => {
  const { openEventBus } = await import('../../../lib/adapters/lambda/record-context.ts');
  const bus = openEventBus('steproll', 'Steproll');
  isBroken = true;
  await expect(bus.publish(first)).rejects.toThrow(/no credentials/);
  isBroken = false;

  await bus.publish(second);

  expect(entries).toHaveLength(1);
});
