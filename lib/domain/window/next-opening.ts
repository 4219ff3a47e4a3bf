import { LONGEST_WINDOW_WAIT_DAYS } from '../defaults.ts';
import { findClosure, type OpeningRules } from './find-closure.ts';

/**
 * Windows and freezes begin and end on quarter hours, and every zone is some quarter hours away from UTC:
 * between two of them nothing opens.
 */
const STEP_MS = 15 * 60_000;
const LONGEST_WAIT_MS = LONGEST_WINDOW_WAIT_DAYS * 24 * 3_600_000;

/** Whether a rollout may start at a time, in milliseconds since the Unix epoch. */
export function isOpen(rules: OpeningRules, at: number): boolean {
  return findClosure(rules, at) === null;
}

/**
 * The first time, from `at` on, at which a rollout may start; `null` when there is none within the longest
 * wait. Both in milliseconds since the Unix epoch.
 */
export function nextOpening(rules: OpeningRules, at: number): number | null {
  if (isOpen(rules, at)) return at;
  const nextStep = (Math.floor(at / STEP_MS) + 1) * STEP_MS;
  for (let time = nextStep; time <= at + LONGEST_WAIT_MS; time += STEP_MS) {
    if (isOpen(rules, time)) return time;
  }
  return null;
}
