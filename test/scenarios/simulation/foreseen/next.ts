import type { RolloutPlan } from '../../../../lib/domain/rollout/plan.ts';
import {
  policyAfter,
  type RolloutPolicy,
  type Tolerance,
} from '../../../../lib/domain/rollout/policy.ts';
import {
  isElsewhere,
  isLost,
  isOverdue,
  isSettled,
  isUnderWay,
  type Sent,
  type Shown,
} from './look.ts';
import { nextRolls, rollThenLook, together, watched } from './rolls.ts';

/** How far a rollout has got, as far as its reads and the answers to its rolls tell. Times are milliseconds. */
export interface Course {
  readonly plan: RolloutPlan;
  readonly policy: RolloutPolicy;
  readonly wave: number;
  /** The last look. */
  readonly at: number;
  /** The last list that proves anything. */
  readonly readAt: number;
  /** For how long no list has proved anything. `null`: the last one did. */
  readonly unreadSeconds: number | null;
  /** One for each endpoint of the plan. */
  readonly shown: readonly Shown[];
  /** What was carried out, or refused for good. */
  readonly sent: ReadonlyMap<string, Sent>;
  /** The service has accepted a roll forward. */
  readonly isAccepted: boolean;
  /** The last roll was refused because nobody is let in. */
  readonly isLockedOut: boolean;
  /** On the way back: when an endpoint was rolled forward the last time. */
  readonly forwardAt: ReadonlyMap<string, number>;
  /** When the service wants to be asked again. */
  readonly retryAt: number;
  /** The refusals that may pass, one after the other. */
  readonly refusals: ReadonlyMap<string, readonly string[]>;
  /** When the service answered the last roll of an endpoint. */
  readonly refusedAt: ReadonlyMap<string, number>;
  /** The furthest that the wave and those before it have ever got. */
  readonly reach: number;
  readonly progressedAt: number;
  readonly fastestMs: number | null;
  /** `null`: the wave has not converged yet. */
  readonly bake: Bake | null;
  /** What the gates have said. `null`: they were not asked yet. */
  readonly gates: Heard | null;
  /** The bake that goes on when the wave has converged once more. `null`: it begins then. */
  readonly halted: Bake | null;
}

export interface Bake {
  /** When the wave converged. */
  readonly since: number;
  readonly bakedSeconds: number;
  /** For how long it has given a reason to doubt; `null`: the last look gave none. */
  readonly doubtSeconds: number | null;
  readonly isAsked: boolean;
}

export interface Heard {
  /** When they are asked again, in milliseconds since the Unix epoch. */
  readonly dueAt: number;
  /** When what has said no, and not yes since then, said so first. */
  readonly noes: ReadonlyMap<string, number>;
  /** When the last wave had converged that has baked. `null`: none has. */
  readonly since: number | null;
}

/** What comes after a look. */
export type Next =
  | { readonly follows: 'look'; readonly seconds: number; readonly rolls: readonly number[] }
  /** The gates are asked, which has not happened, or not all of those that had to be. */
  | { readonly follows: 'gates' }
  /** @property reasons Any of these. */
  | { readonly follows: 'end'; readonly reasons: readonly string[] };

/** What the gates said at a look. */
export type GateWord = 'yes' | 'no' | 'unknown' | 'unasked';

const DONE: Next = { follows: 'end', reasons: ['Converged', 'ConvergedWithinThreshold'] };

export function reachOf(course: Course): number {
  return course.shown.slice(0, watched(course)).reduce((sum, { furthest }) => sum + furthest, 0);
}

/** What may be lost is not waited for. */
function toleratedOf({ plan, policy, shown }: Course): ReadonlySet<number> {
  if (plan.direction === 'back') {
    const wasBad = plan.endpoints.map(({ isBroken, isUnsettled }) => isBroken || isUnsettled);
    const mayBe = (each: Shown, index: number) => wasBad[index] || each.state === 'superseded';
    return new Set(
      shown.flatMap((each, index) => (isLost(each) && mayBe(each, index) ? [index] : [])),
    );
  }
  const most = mayBeLost(policy.failureThreshold, plan.endpoints.length);
  // Whatever is lost stays at risk, so there it is counted in all waves together.
  if (plan.maxAtRisk !== undefined && shown.filter(isLost).length > most) return new Set();
  return new Set(
    plan.waves.flatMap(({ from, to }) => {
      const mayBe = (each: Shown) =>
        isLost(each) && (plan.maxAtRisk !== undefined || !isElsewhere(each.state));
      const lost = shown.flatMap((each, index) =>
        from <= index && index < to && mayBe(each) ? [index] : [],
      );
      const ofWave =
        plan.maxAtRisk === undefined ? mayBeLost(policy.failureThreshold, to - from) : most;
      return lost.length <= Math.min(ofWave, to - from - 1) ? lost : [];
    }),
  );
}

/** So many of a wave of this size may be lost. */
export function mayBeLost(tolerance: Tolerance, size: number): number {
  return 'endpoints' in tolerance
    ? tolerance.endpoints
    : Math.floor((tolerance.percent * size) / 100 + 1e-9);
}

/** What a look at a wave that bakes leads to when a loss is there again: the wave has to converge once more. */
export function haltedBake(before: Course, course: Course): Next | null {
  const wereLost = toleratedOf(before);
  const isAnyBack = course.shown.some((each, index) => wereLost.has(index) && !isLost(each));
  return isAnyBack ? { follows: 'look', seconds: course.policy.pollSeconds, rolls: [] } : null;
}

/** What the wave and those before it have to be judged by. */
function countedOf(course: Course, tolerated = toleratedOf(course)): readonly Shown[] {
  return course.shown.slice(0, watched(course)).filter((_, index) => !tolerated.has(index));
}

/** What a look at a wave leads to that has not converged yet. */
export function afterCheck(course: Course): Next | 'bake' {
  const { policy, at, progressedAt, plan, retryAt } = course;
  const tolerated = toleratedOf(course);
  const counted = countedOf(course, tolerated);
  if (counted.every(isSettled)) return plan.direction === 'back' ? endOf(course, []) : 'bake';
  const hasLost = counted.some(isLost);
  const leftSeconds = policy.progressDeadlineSeconds - (at - progressedAt) / 1000;
  const isJustThere = counted.every(({ state, reads }) => state === 'converged' && reads > 0);
  const isOver = leftSeconds <= 0 && !isJustThere;
  // A version that is bad goes back at once.
  const goesBack =
    plan.direction === 'forward' && policyAfter('bad', policy.onFailure) === 'roll-back';
  const isRefuted = goesBack && counted.some(isBadVersion);
  if ((hasLost && (isRefuted || !counted.some(isUnderWay))) || isOver) {
    return endOf(course, reasonsOf(course, counted));
  }
  const idle = isUnsettled(course) ? 0 : idleSeconds(course);
  const asked = Math.min(LONGEST_WAIT_SECONDS, (retryAt - at) / 1000);
  const wanted = Math.min(withinPolls(idle, policy), leftSeconds);
  const seconds = Math.ceil(Math.max(1, wanted, asked));
  const { from = 0 } = plan.waves[course.wave] ?? {};
  const open = course.shown.slice(0, from).findIndex(({ state, reads }, index) => {
    return !(state === 'converged' && reads > 0) && !tolerated.has(index);
  });
  const end = open < 0 ? plan.endpoints.length : plan.waves.find(({ to }) => open < to)?.to;
  const may = hasLost || asked > 0 ? [] : nextRolls(course);
  // A loss of an earlier wave that is there again is rolled, and nothing of a wave after it.
  const rolls = together(
    course,
    may.filter((index) => index < (end ?? 0)),
  );
  return rollThenLook(course, rolls, seconds);
}

/** No longer than this, whatever the service asks for. */
const LONGEST_WAIT_SECONDS = 300;

/** It was live, which two reads have shown, or has failed with the version live, or was taken back; and it is lost. */
function isBadVersion(shown: Shown): boolean {
  if (shown.state === 'superseded' || !isLost(shown)) return false;
  return shown.state === 'taken-back' || shown.furthest >= 4 || shown.hasFailedLive;
}

/** A way back ends for the reason of the failure. */
function endOf({ plan }: Course, reasons: readonly string[]): Next {
  return { follows: 'end', reasons: plan.direction === 'back' ? [] : reasons };
}

function reasonsOf(course: Course, counted: readonly Shown[]): readonly string[] {
  const { sent, plan } = course;
  const failed = course.shown.flatMap((one, index) => {
    const roll = sent.get(plan.endpoints[index]?.endpointId ?? '');
    return one.state === 'failed'
      ? [
          {
            ...one,
            isLost: roll?.refusal === null && roll.times >= 2 && isOverdue(roll, course.at),
          },
        ]
      : [];
  });
  const isUnstarted = failed.every((each) => !each.hadTarget && each.isLost);
  // A refusal that may pass is told, too, when its endpoint is stopped meanwhile.
  const lasting = [...sent.values()].flatMap(({ refusal }) => refusal ?? []);
  const refusals = [...lasting, ...[...course.refusals.values()].flat()];
  if (counted.some(({ state }) => state === 'taken-back')) return ['TakenBack'];
  if (counted.some((one) => isLost(one) && one.state === 'failed')) {
    return isUnstarted ? ['RollNotStarted'] : ['EndpointFailed', ...refusals];
  }
  if (counted.some((one) => isLost(one) && one.state === 'missing')) return ['EndpointVanished'];
  const isTheirs = counted.some(({ state }) => state === 'superseded');
  return isTheirs && !counted.some(isUnderWay) ? ['Superseded'] : ['Stalled'];
}

/** One more read has to say the same. */
function isUnsettled(course: Course): boolean {
  return course.shown
    .slice(0, watched(course))
    .some(({ state, reads }) => reads < 2 && !UNHURRIED.has(state));
}

/** What only gets further needs no second read, nor does what somebody else has. */
const UNHURRIED: ReadonlySet<string> = new Set([
  'pending',
  'requested',
  'progressing',
  'taken-back',
  'superseded',
]);

/** Until the first roll can be done, once it is known how long one takes; else a tenth of its time so far. */
function idleSeconds(course: Course): number {
  const { at, sent, plan, shown, fastestMs } = course;
  const since = plan.endpoints.flatMap(({ endpointId }, index) => {
    const one = shown[index];
    const isMeant = index < watched(course) && one !== undefined && isUnderWay(one);
    return isMeant ? [sent.get(endpointId)?.at ?? at] : [];
  });
  const elapsed = (at - Math.min(at, ...since)) / 1000;
  const untilDue = fastestMs === null ? 0 : fastestMs / 1000 - elapsed;
  return untilDue > 0 ? untilDue : elapsed / 10;
}

function withinPolls(seconds: number, { pollSeconds, maxPollSeconds }: RolloutPolicy): number {
  return Math.max(pollSeconds, Math.min(maxPollSeconds, seconds));
}

/** Seconds until the first look after a wave has begun. */
export function firstLookSeconds({ policy, fastestMs }: Course): number {
  const half = (fastestMs ?? 0) / 2000;
  return Math.ceil(Math.min(withinPolls(half, policy), policy.progressDeadlineSeconds));
}

/** What a look at a wave leads to that has converged. */
export function afterBake(
  course: Course,
  bake: Bake,
  gates: GateWord,
  isConfirmed: boolean,
): Next | 'approval' | 'next-wave' {
  const counted = countedOf(course);
  if (!counted.every(isSettled)) return afterDoubt(course, bake, counted);
  const seconds = bakeSecondsLeft(course, bake.bakedSeconds);
  if (seconds > 0) return { follows: 'look', seconds, rolls: [] };
  if (gates === 'unasked') return { follows: 'gates' };
  if (isConfirmed) return { follows: 'end', reasons: ['GateFailed'] };
  const doubt = doubtSecondsLeft(course, bake);
  const overSeconds = (bake.doubtSeconds ?? 0) - course.policy.progressDeadlineSeconds;
  if (gates === 'no' && (doubt > 0 || overSeconds < 3 * course.policy.pollSeconds)) {
    return { follows: 'look', seconds: course.policy.pollSeconds, rolls: [] };
  }
  if (gates !== 'yes') {
    return doubt > 0
      ? { follows: 'look', seconds: doubt, rolls: [] }
      : { follows: 'end', reasons: ['GateUnknown'] };
  }
  if (course.wave + 1 >= course.plan.waves.length) return DONE;
  return course.policy.verify.approval === null ? 'next-wave' : 'approval';
}

/** Whether nothing that was converged shows anything else. */
export function holds(course: Course): boolean {
  return countedOf(course).every(isSettled);
}

/** Whether the wave has baked, and nothing of it shows anything else: then all of it is asked about. */
export function isDone(course: Course, { bakedSeconds }: Bake): boolean {
  return holds(course) && bakeSecondsLeft(course, bakedSeconds) <= 0;
}

/** A bake is looked at every minute. */
export function bakeSecondsLeft({ plan, wave }: Course, bakedSeconds: number): number {
  const bakeSeconds = plan.waves[wave]?.bakeSeconds ?? 0;
  const left = Math.round(1000 * (bakeSeconds - bakedSeconds)) / 1000;
  return Math.max(0, Math.ceil(Math.min(60, left)));
}

/** One read that speaks against the wave may be an old answer. */
function afterDoubt(course: Course, bake: Bake, counted: readonly Shown[]): Next {
  const { policy } = course;
  const unsettled = counted.filter(
    (each) =>
      MAY_COME_BACK.has(each.state) || (!isLost(each) && each.reads < 2) || isFirstGone(each),
  );
  const open = unsettled.filter((each) => !isSettled(each));
  const overSeconds = (bake.doubtSeconds ?? 0) - policy.progressDeadlineSeconds;
  const isNew = open.some(({ reads }) => reads < 3) && overSeconds < 3 * policy.pollSeconds;
  const isJustThere = open.every(({ state, reads }) => state === 'converged' && reads > 0);
  const isConfirmed = isNew || isJustThere;
  const seconds = doubtSecondsLeft(course, bake) || (isConfirmed ? policy.pollSeconds : 0);
  return seconds > 0 && open.length > 0
    ? { follows: 'look', seconds, rolls: [] }
    : { follows: 'end', reasons: [reasonInBake(counted)] };
}

function reasonInBake(counted: readonly Shown[]): string {
  if (counted.some(({ state }) => state === 'taken-back')) return 'TakenBack';
  return isOnlyMoved(counted) ? 'Superseded' : 'LiveRegressed';
}

const MAY_COME_BACK: ReadonlySet<string> = new Set(['converged', 'reverted']);

function isOnlyMoved(counted: readonly Shown[]): boolean {
  return counted.every((each) => isSettled(each) || each.state === 'superseded');
}

/** What is missing needs three reads. */
function isFirstGone({ state, reads }: Shown): boolean {
  return state === 'missing' && reads < 3;
}

function doubtSecondsLeft({ policy }: Course, { doubtSeconds }: Bake): number {
  const left = policy.progressDeadlineSeconds - (doubtSeconds ?? 0);
  return Math.max(0, Math.ceil(Math.min(policy.pollSeconds, left)));
}
