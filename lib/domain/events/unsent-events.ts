import type { AskedRollout } from '../rollout.ts';
import type { RolloutEvent } from './rollout-event.ts';
import { endedEvent } from './rollout-events.ts';

/** What is still to be told of a rollout, in order. */
export function unsentEvents(record: AskedRollout): readonly RolloutEvent[] {
  const unsent = new Set(record.unsent);
  return allEvents(record).filter(({ eventId }) => unsent.has(eventId));
}

/** All that there is to tell of a rollout, in order. */
export function allEvents(record: AskedRollout): readonly RolloutEvent[] {
  const { events, outcome, endedAt } = record;
  return outcome === null || endedAt === null
    ? events
    : [...events, endedEvent(record, outcome, endedAt)];
}
