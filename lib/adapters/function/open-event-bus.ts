import type { EventBus } from '../../ports/event-bus.ts';
import { createEventBridgeBus } from '../events/event-bridge-bus.ts';
import { loadOnce } from './load-once.ts';

/** The bus on which a function tells of rollouts. The AWS SDK is loaded with the first event. */
export function openEventBus(eventBusName: string): EventBus {
  const connect = loadOnce(async () => {
    const { connectEventBus } = await import('./connect-event-bus.ts');
    return connectEventBus();
  });
  return createEventBridgeBus({
    eventBusName,
    putEvent: async (entry) => (await connect())(entry),
  });
}
