import { OVERTAKEN } from '../ending/asked-to-end.ts';
import { NOTHING_TO_DO } from '../ending/success.ts';
import { HOLD_NEWS, type HoldEvent } from '../holds/news.ts';
import { ROLLOUT_EVENT_KINDS, type RolloutEvent } from '../rollout/event.ts';

/** These happen often, and mostly nobody has to do anything. */
const QUIET = ['kept-out', 'nothing-to-do'] as const;

/**
 * How people name the events that they want to be told.
 * - `kept-out`: the end of a rollout that has not begun, because it was refused or because a newer one has begun. A
 *   burst of releases has many. A refusal whose cause the owner of its trigger has to mend counts as `ended`, once a day and runtime.
 * - `nothing-to-do`: the begin and the end of one that finds everything done. A schedule mostly has no others.
 */
export const TOLD_EVENTS = [...ROLLOUT_EVENT_KINDS, ...QUIET, ...HOLD_NEWS] as const;
export type ToldEvent = (typeof TOLD_EVENTS)[number];

/** What `notifications` tells if nothing else is said: what a person may have to act on. */
export const TOLD_BY_DEFAULT: readonly ToldEvent[] = [
  'started',
  'approval-wanted',
  'failing',
  'ended',
  ...HOLD_NEWS,
];

/** What a webhook that people read tells if nothing else is said. */
export const TOLD_TO_PEOPLE: readonly ToldEvent[] = [...ROLLOUT_EVENT_KINDS, ...HOLD_NEWS];

export function toldEventOf(event: RolloutEvent | HoldEvent): ToldEvent {
  if (event.kind === 'started') return event.endpoints === 0 ? 'nothing-to-do' : 'started';
  if (event.kind !== 'ended') return event.kind;
  const { outcome, reason, tell } = event;
  if (reason === NOTHING_TO_DO) return 'nothing-to-do';
  const isKeptOut = reason === OVERTAKEN || (outcome === 'Refused' && tell !== true);
  return isKeptOut ? 'kept-out' : 'ended';
}
