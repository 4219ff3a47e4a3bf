import { LONGEST_WINDOW_WAIT_DAYS } from '../defaults.ts';
import { ErrorName } from '../errors.ts';
import type { OutsideWindow } from '../policy.ts';
import { findClosure, type OpeningRules } from './find-closure.ts';
import { localTimeIn, weekdayOf } from './local-time.ts';
import { nextOpening } from './next-opening.ts';

export type WindowDecision =
  | { readonly decision: 'go' }
  | {
      readonly decision: 'wait';
      /** Milliseconds since the Unix epoch. */
      readonly until: number;
      readonly message: string;
    }
  | {
      readonly decision: 'refuse';
      readonly error: typeof ErrorName.OutsideWindow;
      readonly message: string;
    };

/**
 * Whether a rollout may start now, has to wait, or is refused.
 *
 * @param now Milliseconds since the Unix epoch.
 */
export function decideWindow(
  policy: OpeningRules & { readonly outsideWindow: OutsideWindow },
  now: number,
): WindowDecision {
  const closure = findClosure(policy, now);
  if (closure === null) return { decision: 'go' };
  const { why, timeZone } = closure;
  const until = nextOpening(policy, now);
  if (until === null) {
    return refuse(`${why}: no rollout may start within ${LONGEST_WINDOW_WAIT_DAYS} days.`);
  }
  const opening = describeTime(until, timeZone);
  return policy.outsideWindow === 'wait'
    ? { decision: 'wait', until, message: `${why}: the rollout waits until ${opening}.` }
    : refuse(`${why}: the next rollout may start at ${opening}, and the policy lets none wait.`);
}

function refuse(message: string): WindowDecision {
  return { decision: 'refuse', error: ErrorName.OutsideWindow, message };
}

/** For machines, and for people: `2026-11-23T08:00Z (mon 2026-11-23 09:00 Europe/Berlin)`. */
function describeTime(at: number, timeZone: string): string {
  const local = localTimeIn(timeZone, at);
  return `${localTimeIn('UTC', at)}Z (${weekdayOf(local)} ${local.replace('T', ' ')} ${timeZone})`;
}
