import { expect, test } from '@jest/globals';
import { createLocalBus } from '../../../lib/adapters/events/local-bus.ts';
import { type LifecycleEvent, toLifecycleEvent } from '../../../lib/contract/event.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import { everyEvent } from '../../domain/events/examples.ts';

test('whoever listens hears each event, as it goes over a bus', async () => {
  const heard: LifecycleEvent[] = [];
  const bus = createLocalBus((event) => heard.push(event));

  for (const event of everyEvent()) await bus.publish(event);

  expect(heard).toEqual(everyEvent().map((event) => toLifecycleEvent(event)));
});

test('nobody has to listen', async () => {
  await createLocalBus().publish(everyEvent()[0] as RolloutEvent);
});
