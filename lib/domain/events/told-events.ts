import { ErrorName } from '../errors.ts';
import { HOLD_NEWS, type HoldEvent } from '../holds/news.ts';
import { ROLLOUT_EVENT_KINDS, type RolloutEvent } from '../rollout/event.ts';

/**
 * How people name the events that they want to be told. `kept-out` is the end of a rollout that another one of its
 * runtime kept from beginning: a burst of releases has many, and mostly nobody has to do anything.
 */
export const TOLD_EVENTS = [...ROLLOUT_EVENT_KINDS, 'kept-out', ...HOLD_NEWS] as const;
export type ToldEvent = (typeof TOLD_EVENTS)[number];

/** What `notifications` tells if nothing else is said: what a person may have to act on. */
export const TOLD_BY_DEFAULT: readonly ToldEvent[] = [
  'started',
  'approval-wanted',
  'failing',
  'ended',
  ...HOLD_NEWS,
];

export const KEPT_OUT = [ErrorName.LeaseHeld, 'Overtaken'] as const;

export function toldEventOf(event: RolloutEvent | HoldEvent): ToldEvent {
  const isKeptOut = event.kind === 'ended' && KEPT_OUT.some((reason) => reason === event.reason);
  return isKeptOut ? 'kept-out' : event.kind;
}
