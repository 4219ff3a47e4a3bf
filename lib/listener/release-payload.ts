import { invalidTrigger } from '../contract/parse-as-trigger.ts';
import { isOwnSource } from '../domain/trigger/event-names.ts';

/** What the listener knows of an event by itself. */
export interface Reception {
  /** Of the release source that the event is said to be from; `null`: it is steproll's own. */
  readonly release: string | null;
  /** Of the event. */
  readonly id: string;
  /** ISO 8601. */
  readonly time: string;
}

/**
 * What is taken as a trigger for an event that was posted. As on an event bus, the id and the time are not the
 * sender's to choose.
 *
 * @throws `InvalidTrigger` when it is no JSON, or tells of a rollout: rollouts must not start rollouts.
 */
export function releasePayload(body: string, { release, id, time }: Reception): object {
  const event = eventIn(body);
  const isObject = typeof event === 'object' && event !== null && !Array.isArray(event);
  if (!isObject) return { trigger: 'release', release, event };
  const { source } = event as { readonly source?: unknown };
  if (release !== null && typeof source === 'string' && isOwnSource(source)) {
    throw invalidTrigger([`event.source: ${JSON.stringify(source)} is none of another system`]);
  }
  return { trigger: 'release', release, event: { ...event, id, time } };
}

function eventIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalidTrigger(['event: use JSON']);
  }
}
