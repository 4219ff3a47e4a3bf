import { expressionOf, type RolloutSchedule } from '../../contract/config/schedules.ts';
import type { Instant } from '../../domain/clock.ts';
import { describeTime } from '../../domain/local-time.ts';
import { namedRuntime } from '../../domain/rollout/group.ts';
import { nextTime, timeOf } from '../../listener/next-time.ts';

interface Due {
  /** `null`: it is never due, or nobody knows when. */
  readonly next: Instant | null;
  /** Whether it is never due any more. */
  readonly isOver: boolean;
  readonly message: string;
}

/** When a schedule is due next, in words: `shop, cron(0 3 * * ? *): next at 2026-12-01 03:00Z`. */
export function whenDue(schedule: RolloutSchedule, now: Instant): Due {
  const { rate, at, timeZone = 'UTC' } = schedule;
  const what = `${namedRuntime(schedule)}, ${expressionOf(schedule)}`;
  if (rate !== undefined) return { next: null, isOver: false, message: `${what}: ${OF_RATE}` };
  const next = nextTime(schedule, now, now);
  if (next !== null) {
    return { next, isOver: false, message: `${what}: next at ${describeTime(next, timeZone)}.` };
  }
  const over = at === undefined ? null : timeOf(at, timeZone);
  const why =
    over === null
      ? 'it is never due, because no clock shows it.'
      : 'it was due, and starts nothing any more.';
  return { next, isOver: true, message: `${what}: ${why}` };
}

const OF_RATE = 'counted from its deployment, or from the first listener that runs for it.';
