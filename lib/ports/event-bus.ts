import type { RolloutEvent } from '../domain/rollout/event.ts';

/** Where others can follow what happens to rollouts. */
export interface EventBus {
  /** Throws `EventsUnavailable` unless the bus has certainly taken the event. */
  publish(event: RolloutEvent): Promise<void>;
}
