import { type LifecycleEvent, toLifecycleEvent } from '../../contract/output/event.ts';
import type { EventBus } from '../../ports/event-bus.ts';

/** Publishes the events of rollouts within this process. @param listen @default - nobody listens */
export function createLocalBus(listen?: (event: LifecycleEvent) => void): EventBus {
  return {
    async publish(event) {
      listen?.(toLifecycleEvent(event));
    },
  };
}
