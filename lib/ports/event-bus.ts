import type { HoldEvent } from '../domain/holds/news.ts';
import type { RolloutEvent } from '../domain/rollout/event.ts';

/** Where others can follow what happens to rollouts. @typeParam E What it takes. */
export interface EventBus<E = RolloutEvent> {
  /** Throws `EventsUnavailable` unless the bus has certainly taken the event. */
  publish(event: E): Promise<void>;
}

/** A bus that also takes the events of holds. */
export type OpenBus = EventBus<RolloutEvent | HoldEvent>;
