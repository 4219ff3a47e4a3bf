import type { DeploymentWindow, Freeze, RolloutPolicy } from '../policy.ts';
import { localTimeIn, weekdayOf } from './local-time.ts';

/** What says when rollouts may start. */
export type OpeningRules = Pick<RolloutPolicy, 'windows' | 'freezes'>;

/** Why no rollout may start. */
export interface Closure {
  /** The beginning of a sentence. */
  readonly why: string;
  /** Where people live by it. */
  readonly timeZone: string;
}

/**
 * Why no rollout may start at a time, `null` when it may. What the clocks show is what counts: an hour
 * that they skip is in no window, one that they show twice is in it twice.
 *
 * @param at Milliseconds since the Unix epoch.
 */
export function findClosure({ windows, freezes }: OpeningRules, at: number): Closure | null {
  const freeze = freezes.find((one) => isInForce(one, at));
  if (freeze !== undefined) return { why: describeFreeze(freeze), timeZone: freeze.timeZone };
  const [first] = windows;
  if (first === undefined || windows.some((one) => isWithin(one, at))) return null;
  return { why: 'Outside of the deployment windows', timeZone: first.timeZone };
}

function isInForce({ from, to, timeZone }: Freeze, at: number): boolean {
  const localTime = localTimeIn(timeZone, at);
  return from <= localTime && localTime < to;
}

function isWithin({ days, from, to, timeZone }: DeploymentWindow, at: number): boolean {
  const localTime = localTimeIn(timeZone, at);
  const time = localTime.slice('2026-12-18T'.length);
  const goesOverMidnight = to < from;
  const isTime = goesOverMidnight ? from <= time || time < to : from <= time && time < to;
  const openedOn = weekdayOf(localTime, goesOverMidnight && time < to ? 1 : 0);
  return isTime && days.some((day) => day === openedOn);
}

function describeFreeze({ from, to, timeZone, reason }: Freeze): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  return `Frozen from ${from} to ${to} ${timeZone}${why}`;
}
