import type { RolloutEvent } from '../domain/rollout/event.ts';

/** Where the world follows what happens to rollouts. */
export interface EventBus {
  /** Throws `EventsUnavailable` when it cannot be known that the bus has taken the event. */
  publish(event: RolloutEvent): Promise<void>;
}
