import type { RolloutSchedule } from '../contract/rollout-schedule.ts';
import { nextTime } from './next-time.ts';

/** What is due further back than this is stale whatever the configuration says, and is not counted out. */
const LOOK_BACK_MS = 48 * 3_600_000;

/**
 * The last time up to `now` at which a schedule was due: a machine that slept may have missed several.
 *
 * @param due The first of them. All times are in milliseconds since the Unix epoch.
 */
export function newestDue(
  schedule: RolloutSchedule,
  due: number,
  now: number,
  startedAt: number,
): number {
  let newest = due;
  let next = nextTime(schedule, Math.max(due, now - LOOK_BACK_MS), startedAt);
  while (next !== null && next <= now) {
    newest = next;
    next = nextTime(schedule, next, startedAt);
  }
  return newest;
}
