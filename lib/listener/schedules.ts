import { expressionOf, type RolloutSchedule, scheduleInput } from '../contract/config/schedules.ts';
import { describeDuration } from '../domain/durations.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { entryOf } from '../domain/keyed.ts';
import { describeSeconds } from '../domain/sentences.ts';
import { catchUpSecondsOf } from '../domain/trigger/trigger.ts';
import type { Clock } from '../ports/clock.ts';
import { nextTime, timeOf } from './next-time.ts';

interface ScheduleRunner {
  readonly schedules: readonly RolloutSchedule[];
  readonly clock: Clock;
  /** Takes a trigger. Throws an error that says why the trigger starts nothing. */
  readonly take: (payload: unknown) => Promise<unknown>;
  readonly memory: ScheduleMemory;
  /** Gets a line about everything that happens to a schedule. */
  readonly log: (line: string) => void;
}

/** What is kept when the listener ends. */
interface ScheduleMemory {
  /** Answers what was seen of each schedule, by its key. */
  read(): Readonly<Record<string, SeenSchedule>>;
  write(seen: Readonly<Record<string, SeenSchedule>>): void;
}

/** Times are in milliseconds since the Unix epoch. */
export interface SeenSchedule {
  /** When a listener first ran for the schedule. A rate is counted from this time. */
  readonly since: number;
  /** All times of the schedule up to this one have started their rollouts, or never will. */
  readonly until: number;
}

/** Timers stand still while a machine sleeps. After it wakes up, the clock is looked at again within this time. */
const LONGEST_SLEEP_MS = 60_000;

interface Planned {
  readonly schedule: RolloutSchedule;
  seen: SeenSchedule;
}

/**
 * Starts what the schedules ask for when they are due, until the signal aborts. A schedule that was due while no
 * listener ran, or while the machine slept, catches up once, for its last time, if that time is not older than the
 * schedule allows. If no listener has run for a schedule yet, only the time of an `at` can have been missed: a cron
 * or a rate begins now.
 */
export async function runSchedules(runner: ScheduleRunner, signal: AbortSignal): Promise<void> {
  const { schedules, clock, log } = runner;
  const known = recall(runner);
  const startedAt = clock.now();
  const planned = schedules.map((schedule): Planned => {
    const seen = entryOf(known, keyOf(schedule)) ?? firstSight(schedule, startedAt);
    log(describePlanned(schedule, nextTime(schedule, Math.max(seen.until, startedAt), seen.since)));
    return { schedule, seen };
  });
  remember(planned, runner);
  while (!signal.aborted) {
    for (const one of planned) {
      const { schedule, seen } = one;
      const now = clock.now();
      const due = nextTime(schedule, seen.until, seen.since);
      if (due === null || due > now) continue;
      const last = newestDue(schedule, due, now, seen.since);
      if (!(await settle({ schedule, due, last, now }, runner, signal))) continue;
      one.seen = { ...seen, until: last };
      remember(planned, runner);
    }
    await sleepUntilAborted(untilNext(planned, clock.now()), clock, signal);
  }
}

function firstSight({ at }: RolloutSchedule, now: number): SeenSchedule {
  return { since: now, until: at === undefined ? now : 0 };
}

interface DueSchedule {
  readonly schedule: RolloutSchedule;
  /** The first time that was not dealt with yet, and the last one, which stands for all of them. */
  readonly due: number;
  readonly last: number;
  readonly now: number;
}

/** Answers whether these times are done. If that cannot be known yet, they are tried again. */
async function settle(
  { schedule, due, last, now }: DueSchedule,
  { take, log }: ScheduleRunner,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, flexibleMinutes = 0 } = schedule;
  const lateMs = now - last;
  const seconds = catchUpSecondsOf(schedule);
  if (lateMs > seconds * 1000 + flexibleMinutes * 60_000) {
    log(
      `Schedule ${name} was due at ${timeText(last)} and did not start: that is ${describeDuration(lateMs)} ago, and it is made up for within ${describeSeconds(seconds)} (catchUpSeconds)`,
    );
    return true;
  }
  if (last !== due) log(describeMissed(schedule, due, last));
  else if (lateMs > LONGEST_SLEEP_MS) {
    log(`Schedule ${name} was due at ${timeText(last)} and is made up for now`);
  }
  try {
    await take(scheduleInput(schedule, timeText(last)));
    return true;
  } catch (error) {
    // The next listener catches up.
    if (signal.aborted) return false;
    const isOver = errorNameOf(error) !== ErrorName.LedgerUnavailable;
    const why = `${errorNameOf(error)}: ${errorMessageOf(error)}`;
    const then = isOver ? 'started nothing' : 'could not start yet';
    log(`Schedule ${name}, due at ${timeText(last)}, ${then}: ${why}`);
    return isOver;
  }
}

/** How long to sleep. A schedule that could not start yet is tried again at the next look at the clock. */
function untilNext(planned: readonly Planned[], now: number): number {
  const waits = planned.flatMap(({ schedule, seen }) => {
    const due = nextTime(schedule, Math.max(seen.until, now), seen.since);
    return due === null ? [] : [due - now];
  });
  return Math.min(LONGEST_SLEEP_MS, ...waits);
}

async function sleepUntilAborted(milliseconds: number, clock: Clock, signal: AbortSignal) {
  try {
    await clock.sleep(milliseconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A schedule with other times counts as another schedule. */
function keyOf(schedule: RolloutSchedule): string {
  return `${schedule.name} ${expressionOf(schedule)} ${schedule.timeZone ?? 'UTC'}`;
}

function recall({ memory, log }: ScheduleRunner): Readonly<Record<string, SeenSchedule>> {
  try {
    return memory.read();
  } catch (error) {
    log(`What was due while no listener ran is not known: ${errorMessageOf(error)}`);
    return {};
  }
}

/** Lost memory never starts anything twice, because the ledger knows the rollouts of the times that were taken. */
function remember(planned: readonly Planned[], { memory, log }: ScheduleRunner): void {
  try {
    memory.write(Object.fromEntries(planned.map(({ schedule, seen }) => [keyOf(schedule), seen])));
  } catch (error) {
    log(`The next listener may not know what was due until it runs: ${errorMessageOf(error)}`);
  }
}

function describePlanned(schedule: RolloutSchedule, next: number | null): string {
  const { name, timeZone } = schedule;
  const zone = timeZone === undefined ? '' : ` ${timeZone}`;
  const when = next === null ? describeOver(schedule) : timeText(next);
  return `Schedule ${name}, ${expressionOf(schedule)}${zone}, next: ${when}`;
}

function describeOver(schedule: RolloutSchedule): string {
  if (schedule.at === undefined) return 'never';
  const instant = timeOf(schedule.at, schedule.timeZone);
  return instant === null
    ? 'never: the clocks skip it'
    : `never: it was due at ${timeText(instant)}`;
}

function describeMissed({ name }: RolloutSchedule, due: number, last: number): string {
  return `Schedule ${name} was due from ${timeText(due)} on while nothing ran here: the last time, ${timeText(last)}, stands for them all`;
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** A time further back than this is too old with any configuration, so the search begins here at the earliest. */
const LOOK_BACK_MS = 48 * 3_600_000;

/**
 * The last time up to `now` at which a schedule was due. A machine that slept may have missed several times.
 *
 * @param due The first of these times. All times are in milliseconds since the Unix epoch.
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
