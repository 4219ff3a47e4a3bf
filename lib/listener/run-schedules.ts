import type { RolloutSchedule } from '../contract/rollout-schedule.ts';
import { expressionOf, scheduleInput } from '../contract/schedule-input.ts';
import { errorMessageOf, errorNameOf } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { newestDue } from './newest-due.ts';
import { nextTime } from './next-time.ts';

export interface ScheduleRunner {
  readonly schedules: readonly RolloutSchedule[];
  readonly clock: Clock;
  /** Takes a trigger, or throws why it starts nothing. */
  readonly take: (payload: unknown) => Promise<unknown>;
  /** Told in a line what happens to a schedule. */
  readonly log: (line: string) => void;
}

/** Timers stand still while a machine sleeps: how long after it woke the clock is looked at again, at most. */
const LONGEST_SLEEP_MS = 60_000;

interface Planned {
  readonly schedule: RolloutSchedule;
  /** `null`: never again. */
  due: number | null;
}

/**
 * Starts what the schedules ask for, when they are due, until the signal aborts. What a machine has slept
 * through is made up for once, with its last time, if that is fresh enough to be taken.
 */
export async function runSchedules(runner: ScheduleRunner, signal: AbortSignal): Promise<void> {
  const { schedules, clock, log } = runner;
  const startedAt = clock.now();
  const planned = schedules.map((schedule): Planned => {
    const due = nextTime(schedule, startedAt, startedAt);
    log(describePlanned(schedule, due));
    return { schedule, due };
  });
  while (!signal.aborted) {
    const now = clock.now();
    for (const one of planned) {
      const { schedule, due } = one;
      if (due === null || due > now) continue;
      const last = newestDue(schedule, due, now, startedAt);
      one.due = nextTime(schedule, last, startedAt);
      if (last !== due) log(describeMissed(schedule, due, last));
      await takeDue(schedule, last, runner);
    }
    const sooner = planned.flatMap(({ due }) => (due === null ? [] : [due - clock.now()]));
    await sleepUntilAborted(Math.max(0, Math.min(LONGEST_SLEEP_MS, ...sooner)), clock, signal);
  }
}

async function takeDue(
  schedule: RolloutSchedule,
  due: number,
  { take, log }: ScheduleRunner,
): Promise<void> {
  try {
    await take(scheduleInput(schedule, timeText(due)));
  } catch (error) {
    const why = `${errorNameOf(error)}: ${errorMessageOf(error)}`;
    log(`Schedule ${schedule.name}, due at ${timeText(due)}, started nothing: ${why}`);
  }
}

async function sleepUntilAborted(milliseconds: number, clock: Clock, signal: AbortSignal) {
  try {
    await clock.sleep(milliseconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function describePlanned(schedule: RolloutSchedule, due: number | null): string {
  const { name, timeZone, at } = schedule;
  const zone = timeZone === undefined ? '' : ` ${timeZone}`;
  const over = at === undefined ? 'never' : 'never: it is over, or the clocks skip it';
  return `Schedule ${name}, ${expressionOf(schedule)}${zone}, next: ${due === null ? over : timeText(due)}`;
}

function describeMissed({ name }: RolloutSchedule, due: number, last: number): string {
  return `Schedule ${name} was due from ${timeText(due)} on while nothing ran here: the last time, ${timeText(last)}, stands for them all`;
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
