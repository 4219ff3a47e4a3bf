import { ErrorName } from '../errors.ts';
import { HOLD_NEWS, type HoldEvent } from '../holds/news.ts';
import { type RolloutEvent, WAVE_KINDS } from '../rollout/event.ts';

/**
 * How people name the events that they want to be told. `kept-out` is the end of a rollout that another one of its
 * runtime kept from beginning: a burst of releases has many, and mostly nobody has to do anything.
 */
export const EVENT_KINDS = [
  'started',
  ...WAVE_KINDS,
  'failing',
  'ended',
  'kept-out',
  ...HOLD_NEWS,
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** What `notifications` tells if nothing else is said: what a person may have to act on. */
export const TOLD_BY_DEFAULT: readonly EventKind[] = [
  'started',
  'approval-wanted',
  'failing',
  'ended',
  ...HOLD_NEWS,
];

export const KEPT_OUT = [ErrorName.LeaseHeld, 'Overtaken'] as const;

export function eventKindOf(event: RolloutEvent | HoldEvent): EventKind {
  const isKeptOut = event.kind === 'ended' && KEPT_OUT.some((reason) => reason === event.reason);
  return isKeptOut ? 'kept-out' : event.kind;
}
