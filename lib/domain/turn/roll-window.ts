import type { Instant, Seconds } from '../clock.ts';
import { legOf } from '../endpoint/leg.ts';
import { describeHold, endOf, type Hold } from '../holds/hold.ts';
import { freezesOn, type Holdable } from '../holds/what-holds.ts';
import { describeTime } from '../local-time.ts';
import { FIRST_HOUR, LONGEST_LOOK_SECONDS, soonest } from '../look-again.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy, Wave } from '../rollout/policy.ts';
import type { LogLine, RolloutRecord } from '../rollout/record.ts';
import type { WaitChange } from '../rollout/wait.ts';
import {
  findClosure,
  LONGEST_WINDOW_WAIT_DAYS,
  nextTimeWhen,
  type OpeningRules,
  type TimedPolicy,
} from './window.ts';

// When may a rollout under way roll forward? What holds its rolls back holds back nothing else: it bakes on, its gates are
// asked, and a way back never waits.

/** The rules for the rolls of a wave: its own windows, and those of the policy where they bind rolls. */
export function rulesOfWave(
  { windows, freezes, windowsBind }: TimedPolicy,
  wave: Pick<Wave, 'windows'> | undefined,
): OpeningRules {
  const own = { waveWindows: wave?.windows };
  return windowsBind === 'rolls'
    ? { windows, freezes, ...own }
    : { windows: [], freezes: [], ...own };
}

/** Whether no window keeps rolls back, whatever is frozen. */
export function isUnbound({ windows, waveWindows = [] }: OpeningRules): boolean {
  return windows.length === 0 && waveWindows.length === 0;
}

/** Whether windows and freezes bind the rolls of a rollout. */
export function bindsRolls({
  policy,
}: {
  readonly policy: Pick<RolloutPolicy, 'windowsBind'> | null;
}): boolean {
  return policy?.windowsBind === 'rolls';
}

/** The freezes of people that are on the rolls of a rollout under way, also of one that a group has started. */
export function whatFreezesRolls(
  plan: Pick<RolloutPlan, 'direction'>,
  request: Holdable & { readonly policy: Pick<RolloutPolicy, 'windowsBind'> | null },
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  return bindsRolls(request) && legOf(plan).heedsHolds ? freezesOn(request, holds, now) : [];
}

type Frozen = Pick<RolloutRecord, 'request' | 'frozenBy'>;

/** The 0-based wave of an endpoint, by its place in the plan. */
export function waveOf({ waves }: Pick<RolloutPlan, 'waves'>, index: number): number {
  return waves.findIndex(({ to }) => index < to);
}

/** Whether nothing of a 0-based wave may be rolled at a time. */
export function isClosed(
  { request, frozenBy = [] }: Frozen,
  plan: RolloutPlan,
  wave: number,
  at: Instant,
): boolean {
  if (!legOf(plan).heedsHolds) return false;
  const rules = rulesOfWave(request.policy, plan.waves[wave]);
  return frozenBy.length > 0 || findClosure(rules, at) !== null;
}

/** What the rolls of a wave wait for. */
export interface RollWait {
  readonly for: 'window' | 'hold';
  readonly of: string;
  /** `null`: nobody can say. */
  readonly until: Instant | null;
  readonly seconds: Seconds;
}

/**
 * What a 0-based wave waits for that has something to roll; `null`: it may go. Nothing happens until then that nobody has
 * to look for, but somebody may lift a hold, abort, or move an endpoint: so looks come as they do while a person is waited
 * for.
 */
export function findRollWait(
  record: Frozen & Pick<RolloutRecord, 'wait'>,
  plan: RolloutPlan,
  wave: number,
  at: Instant,
): RollWait | null {
  if (!isClosed(record, plan, wave, at)) return null;
  const what = whatIsAwaited(record, plan, wave, at);
  const { wait } = record;
  const waitedSeconds = wait?.for === what.for ? (at - wait.since) / 1000 : 0;
  const leftSeconds = what.until === null ? Number.POSITIVE_INFINITY : (what.until - at) / 1000;
  return { ...what, seconds: Math.max(1, secondsToLook(waitedSeconds, leftSeconds)) };
}

function secondsToLook(waitedSeconds: Seconds, leftSeconds: Seconds): Seconds {
  const longest = waitedSeconds < FIRST_HOUR.lasts ? FIRST_HOUR.longestLook : LONGEST_LOOK_SECONDS;
  return soonest(longest, leftSeconds).lookAgainIn;
}

/** How many looks a wait for a window takes. */
export function looksAtWindow(waitSeconds: Seconds): number {
  let looks = 0;
  for (let waited = 0; waited < waitSeconds; looks += 1) {
    waited += secondsToLook(waited, waitSeconds - waited);
  }
  return looks;
}

function whatIsAwaited(
  { request: { policy }, frozenBy = [] }: Frozen,
  plan: RolloutPlan,
  wave: number,
  at: Instant,
): Omit<RollWait, 'seconds'> {
  const name = `Wave ${wave + 1} of ${plan.waves.length}`;
  if (frozenBy.length > 0) {
    const of = `${name} waits for the end of a freeze. ${frozenBy.map(describeHold).join(' ')}`;
    return { for: 'hold', of, until: Math.max(...frozenBy.map(endOf)) };
  }
  const rules = rulesOfWave(policy, plan.waves[wave]);
  const { why = '', timeZone = 'UTC' } = findClosure(rules, at) ?? {};
  const until = nextTimeWhen(true, rules, at);
  const opens =
    until === null
      ? `does not open within ${LONGEST_WINDOW_WAIT_DAYS} days`
      : `opens ${describeTime(until, timeZone)}`;
  return { for: 'window', of: `${name} waits for its window, which ${opens}. ${why}.`, until };
}

/** What the log gets of a wave that begins to wait for its window. Holds have lines of their own. */
export function linesOfRollWait({ before, wait }: WaitChange): readonly LogLine[] {
  if (wait === null || wait.for !== 'window' || wait.since === before?.since) return [];
  const { since: at, for: kind, of, until } = wait;
  return [{ kind: 'waits', at, for: kind, of, until }];
}
