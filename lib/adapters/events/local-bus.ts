import { type LifecycleEvent, toLifecycleEvent } from '../../contract/event.ts';
import type { OpenBus } from '../../ports/event-bus.ts';

/** Publishes the events of rollouts and holds within this process. @param listen @default - nobody listens */
export function createLocalBus(listen?: (event: LifecycleEvent) => void): OpenBus {
  return {
    async publish(event) {
      listen?.(toLifecycleEvent(event));
    },
  };
}
