import type { EventBus } from '../../ports/event-bus.ts';
import { createEventBridgeBus, type PutEvent } from '../events/event-bridge-bus.ts';

/** The bus on which a function tells of rollouts. The AWS SDK is loaded with the first event. */
export function openEventBus(eventBusName: string): EventBus {
  let putEvent: Promise<PutEvent> | undefined;
  const connect = () => {
    putEvent ??= import('./connect-event-bus.ts')
      .then((module) => module.connectEventBus())
      .catch((error) => {
        // The next event tries again.
        putEvent = undefined;
        throw error;
      });
    return putEvent;
  };
  return createEventBridgeBus({
    eventBusName,
    putEvent: async (entry) => (await connect())(entry),
  });
}
