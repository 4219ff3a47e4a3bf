import type { Instant } from '../clock.ts';
import { ErrorName } from '../errors.ts';
import { describeTime, localTimeIn, weekdayOf } from '../local-time.ts';
import type {
  DeploymentWindow,
  Freeze,
  OutsideWindow,
  RolloutPolicy,
  Wave,
} from '../rollout/policy.ts';

type WindowDecision =
  | { readonly decision: 'go' }
  | {
      readonly decision: 'wait';
      readonly until: Instant;
      readonly message: string;
    }
  | {
      readonly decision: 'refuse';
      readonly error: typeof ErrorName.OutsideWindow;
      readonly message: string;
    };

/** Whether a rollout may start now, has to wait, or is refused. @param now Milliseconds since the Unix epoch. */
export function decideWindow(
  policy: OpeningRules & { readonly outsideWindow: OutsideWindow },
  now: number,
): WindowDecision {
  const closure = findClosure(policy, now);
  if (closure === null) return { decision: 'go' };
  const { why, timeZone } = closure;
  const until = nextTimeWhen(true, policy, now);
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

/** Says whether rollouts may start now, and when that changes. `null`: not within the longest wait for a window. */
export function describeOpening(rules: OpeningRules, now: Instant) {
  const closure = findClosure(rules, now);
  const isOpen = closure === null;
  const changesAt = nextTimeWhen(!isOpen, rules, now);
  if (changesAt === null) {
    const message = isOpen
      ? `Open, and for ${LONGEST_WINDOW_WAIT_DAYS} days nothing closes.`
      : `${closure.why}: no rollout may start within ${LONGEST_WINDOW_WAIT_DAYS} days.`;
    return { changesAt, message };
  }
  const zone = closure ?? findClosure(rules, changesAt);
  const time = describeTime(changesAt, zone?.timeZone ?? 'UTC');
  const message = isOpen
    ? `Open until ${time}.`
    : `${closure.why}: rollouts may start from ${time} on.`;
  return { changesAt, message };
}

/** Days to wait for a window at most. After that nobody looks on, and perhaps nobody wants the rollout any more. */
export const LONGEST_WINDOW_WAIT_DAYS = 7;

/** What of a policy says when. */
export type TimedPolicy = Pick<RolloutPolicy, 'windows' | 'freezes' | 'windowsBind'>;

export interface OpeningRules extends Pick<RolloutPolicy, 'windows' | 'freezes'> {
  /** The windows of a wave alone: they narrow the others. @default - it has none of its own */
  readonly waveWindows?: Wave['windows'];
}

/** The rules for a start: the first wave goes at once. */
export function rulesOfStart({
  windows,
  freezes,
  waves,
}: Pick<RolloutPolicy, 'windows' | 'freezes' | 'waves'>): OpeningRules {
  return { windows, freezes, waveWindows: waves[0]?.windows };
}

interface Closure {
  /** Why, as the beginning of a sentence. */
  readonly why: string;
  /** The zone of the people whose clocks it is about. */
  readonly timeZone: string;
}

/**
 * Why no rollout may start at a time; `null` when it may. Only what the clocks show decides: an hour that they skip
 * is in no window, and an hour that they show twice is in it twice.
 */
export function findClosure(
  { windows, freezes, waveWindows = [] }: OpeningRules,
  at: Instant,
): Closure | null {
  const freeze = freezes.find((one) => isInForce(one, at));
  if (freeze !== undefined)
    return { why: `Frozen from ${describeFreeze(freeze)}`, timeZone: freeze.timeZone };
  return (
    outside(windows, at, 'Outside of the deployment windows') ??
    outside(waveWindows, at, 'Outside of the windows of the wave')
  );
}

function outside(windows: readonly DeploymentWindow[], at: Instant, why: string): Closure | null {
  const [first] = windows;
  if (first === undefined || windows.some((one) => isWithin(one, at))) return null;
  return { why, timeZone: first.timeZone };
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

/** `2026-12-18T18:00 to 2027-01-04T08:00 Europe/Berlin (holidays)` */
export function describeFreeze({ from, to, timeZone, reason }: Freeze): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${from} to ${to} ${timeZone}${why}`;
}

/** Windows, freezes and zones go by quarter hours, so no window opens between two of them. */
export const SCAN_MS = 15 * 60_000;
const LONGEST_WAIT_MS = LONGEST_WINDOW_WAIT_DAYS * 24 * 3_600_000;

/** The first time from `at` on when a rollout may start, or may not; `null`: not within the longest wait. */
export function nextTimeWhen(open: boolean, rules: OpeningRules, at: Instant): Instant | null {
  const isSo = (time: Instant) => (findClosure(rules, time) === null) === open;
  if (isSo(at)) return at;
  const next = (Math.floor(at / SCAN_MS) + 1) * SCAN_MS;
  for (let time = next; time <= at + LONGEST_WAIT_MS; time += SCAN_MS) {
    if (isSo(time)) return time;
  }
  return null;
}
