import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry } from '../../../../lib/domain/endpoint/journal.ts';
import type { RolloutPlan } from '../../../../lib/domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../../../lib/domain/rollout/policy.ts';
import type { MetricRule } from '../../../../lib/gates/metric-rule.ts';
import { gatesIn } from '../../../support/gates-in.ts';
import { byId } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isOverdue, isUnderWay, isUnproven, mayGoForward, type Shown, shownBy } from './look.ts';
import {
  afterBake,
  afterCheck,
  type Bake,
  bakeSecondsLeft,
  type Course,
  firstLookSeconds,
  type GateWord,
  haltedBake,
  holds,
  type Next,
  reachOf,
} from './next.ts';
import { rollsOf, rollThenLook, watched } from './rolls.ts';

// How a rollout gets further, read by read.

export function newCourse(
  plan: RolloutPlan,
  policy: RolloutPolicy,
  at: number,
  journal: readonly JournalEntry[] = [],
): Course {
  const rolls = journal.filter(({ operation }) => operation === 'roll');
  const forwardAt = new Map(rolls.map((line) => [line.endpointId, line.at]));
  const shown = plan.endpoints.map((planned): Shown => {
    const { isBroken = false, isUnsettled = false, previousVersion, previousTarget } = planned;
    const wasMoving = previousTarget !== null && previousTarget !== previousVersion;
    const isMoving = plan.direction === 'back' ? isUnsettled : wasMoving;
    const isAs = { state: 'pending', reads: 1, since: at, furthest: 0 } as const;
    return { ...isAs, isBroken, isMoving, isAtWork: false, hadTarget: false };
  });
  const nothing = {
    wave: 0,
    reach: 0,
    fastestMs: null,
    bake: null,
    halted: null,
    unreadSeconds: null,
  };
  const none = { sent: new Map(), refusals: new Map(), refusedAt: new Map() };
  const answers = { ...none, isAccepted: false, isLockedOut: false };
  const times = { at, readAt: at, progressedAt: at };
  return { plan, policy, shown, forwardAt, retryAt: 0, ...answers, ...times, ...nothing };
}

export function beginWave(course: Course, wave: number): Course {
  const begun = { ...course, wave, progressedAt: course.at, bake: null, halted: null };
  return { ...begun, reach: reachOf(begun) };
}

export function firstRolls(course: Course): Extract<Next, { follows: 'look' }> {
  return rollThenLook(course, rollsOf(course), firstLookSeconds(course));
}

/** `null`: the read shows something that takes more to be judged. */
export function withRead(course: Course, listed: readonly Endpoint[], wait: Wait): Course | null {
  const { plan, sent } = course;
  const { at } = wait;
  const rows = byId(listed);
  const end = watched(course);
  const shown = course.shown.map((before, index) => {
    const planned = plan.endpoints[index];
    if (planned === undefined || index >= end) return before;
    const { endpointId } = planned;
    const isBack = plan.direction === 'back';
    const row = rows.get(endpointId);
    const one = shownBy(row, planned, sent.get(endpointId), before, at, isBack);
    const mayGo = mayGoForward(row, planned, course.forwardAt.get(endpointId), at);
    return one?.state === 'pending' && mayGo ? { ...one, isMoving: true } : one;
  });
  if (!shown.every((each) => each !== null)) return null;
  // What was only refused, and gets there all the same, does not tell since when.
  const isUntimed = shown.some((each, index) => {
    const { endpointId = '' } = plan.endpoints[index] ?? {};
    return isUnderWay(each) && !sent.has(endpointId) && course.refusals.has(endpointId);
  });
  if (isUntimed) return null;
  const took = shown.flatMap(({ state }, index) => {
    const one = sent.get(plan.endpoints[index]?.endpointId ?? '');
    const isNews = state === 'converged' && course.shown[index]?.state !== 'converged';
    return isNews && one !== undefined && course.bake === null ? [at - one.at] : [];
  });
  const fastest = Math.min(course.fastestMs ?? Number.POSITIVE_INFINITY, ...took);
  const fastestMs = Number.isFinite(fastest) ? fastest : null;
  // Reads that agree do not count towards the deadline when they may be old answers, or while a roll is in doubt.
  const standsStill = shown.some(
    (one, index) =>
      one.state === course.shown[index]?.state &&
      (isUnproven(one) || isAwaited(course, one, index)),
  );
  const countedMs = standsStill ? 0 : watchedMs(course, wait);
  const progressedAt = course.progressedAt + at - course.readAt - countedMs;
  const read = { ...course, shown, at, readAt: at, unreadSeconds: null, progressedAt, fastestMs };
  const reach = reachOf(read);
  if (course.bake !== null) return { ...read, bake: baked(course, course.bake, wait) };
  if (reach > course.reach) return { ...read, reach, progressedAt: at };
  const isTooEarly = shown.some((one, index) => {
    const roll = inDoubt(course, one, index);
    return roll !== undefined && !isOverdue(roll, course.readAt);
  });
  return isTooEarly ? { ...read, progressedAt: at } : read;
}

/** So few reads have shown that a roll is missing that it could not be repeated at the last look. */
function isAwaited(course: Course, one: Shown, index: number): boolean {
  return inDoubt(course, one, index) !== undefined && (course.shown[index]?.reads ?? 0) < 3;
}

/** The only roll of an endpoint, which may never have been sent, and which its target does not show. */
function inDoubt({ plan, sent }: Course, { state }: Shown, index: number) {
  const roll = sent.get(plan.endpoints[index]?.endpointId ?? '');
  return state === 'requested' && roll?.answer === 'none' && roll.times < 2 ? roll : undefined;
}

/** The wait before a look, and its read of the list. */
interface Wait {
  /** When the list was read, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly seconds: number;
}

/** Since the last look. While the list could not be read, nobody watched. */
function watchedMs(course: Course, { at }: Wait): number {
  return at - course.at;
}

/** A look whose list proves nothing. */
export function withoutRead(course: Course, wait: Wait): Course {
  const { unreadSeconds } = course;
  return {
    ...course,
    at: wait.at,
    unreadSeconds: unreadSeconds === null ? 0 : unreadSeconds + watchedMs(course, wait) / 1000,
  };
}

/** It is read again until the deadline, unless the service redirects. */
export function afterUnread(course: Course, fault: string): { course: Course; next: Next } {
  const { progressDeadlineSeconds, pollSeconds } = course.policy;
  const left = Math.ceil(progressDeadlineSeconds - (course.unreadSeconds ?? 0));
  const next: Next =
    fault === 'UpstreamRedirect' || left <= 0
      ? { follows: 'end', reasons: [fault] }
      : { follows: 'look', seconds: Math.min(pollSeconds, left), rolls: [] };
  return { course, next };
}

/** The time of a bake, and after it the time for an approval, which runs only while nothing is in doubt. */
function baked(course: Course, bake: Bake, wait: Wait): Bake {
  const { plan, policy, wave, unreadSeconds } = course;
  const { since, bakedSeconds, doubtSeconds, isAsked } = bake;
  const bakeSeconds = plan.waves[wave]?.bakeSeconds ?? 0;
  const most =
    isAsked && doubtSeconds === null && unreadSeconds === null
      ? Number.POSITIVE_INFINITY
      : Math.max(bakedSeconds, bakeSeconds);
  return {
    since,
    isAsked,
    bakedSeconds: Math.min(bakedSeconds + wait.seconds, most),
    doubtSeconds:
      doubtSeconds === null ? 0 : doubted(policy, doubtSeconds, watchedMs(course, wait) / 1000),
  };
}

/** After the deadline, looks count and not seconds. */
function doubted(
  { progressDeadlineSeconds, pollSeconds }: RolloutPolicy,
  doubtSeconds: number,
  passedSeconds: number,
): number {
  return doubtSeconds < progressDeadlineSeconds
    ? Math.min(progressDeadlineSeconds, doubtSeconds + passedSeconds)
    : doubtSeconds + pollSeconds;
}

/** What follows the read that the course has just got; `null`: nobody can say. */
export function decided(
  run: ScenarioResult,
  before: Course,
  course: Course,
): { course: Course; next: Next } | null {
  const { bake: halted } = course;
  const again = halted === null ? null : haltedBake(before, course);
  if (again !== null) {
    return { course: { ...course, bake: null, halted, progressedAt: course.at }, next: again };
  }
  if (halted !== null) return decidedInBake(run, course, halted);
  const next = afterCheck(course);
  if (next !== 'bake') return { course, next };
  const begun: Bake = { since: course.at, bakedSeconds: 0, doubtSeconds: null, isAsked: false };
  const bake = course.halted === null ? begun : { ...course.halted, doubtSeconds: null };
  const seconds = bakeSecondsLeft(course, bake.bakedSeconds);
  return { course: { ...course, bake }, next: { follows: 'look', seconds, rolls: [] } };
}

function decidedInBake(
  run: ScenarioResult,
  course: Course,
  bake: Bake,
): { course: Course; next: Next } | null {
  const isBaking = bakeSecondsLeft(course, bake.bakedSeconds) > 0;
  const gates = isBaking ? 'unasked' : gatesAt(course, run);
  const next = afterBake(course, bake, gates);
  if (next === 'next-wave') return goesOn(course);
  const isSure = holds(course) && gates !== 'unknown';
  const now = { ...bake, doubtSeconds: isSure ? null : bake.doubtSeconds };
  if (next !== 'approval') return { course: { ...course, bake: now }, next };
  const yes = run.record?.signals.find(({ wave }) => wave === course.wave);
  if (yes !== undefined && yes.at <= course.at) {
    // Whether the look knows of what is said while it reads, only the next wave tells.
    const isTold = run.record?.events.some(({ kind, at }) => {
      return kind === 'wave-started' && at === course.at;
    });
    if (isTold || yes.at < course.at - LONGEST_READ_MS) return goesOn(course);
  }
  const { approval } = course.policy.verify;
  const waited = bake.bakedSeconds - (course.plan.waves[course.wave]?.bakeSeconds ?? 0);
  const left = (approval?.timeoutSeconds ?? 0) - waited;
  if (left <= 0) return approval?.onTimeout === 'approve' ? goesOn(course) : null;
  const seconds = approvalSeconds(waited, left);
  return {
    course: { ...course, bake: { ...now, isAsked: true } },
    next: { follows: 'look', seconds, rolls: [] },
  };
}

/** From the look at the signals to the list. */
const LONGEST_READ_MS = 5000;

function goesOn(course: Course): { course: Course; next: Next } {
  const begun = beginWave(course, course.wave + 1);
  return { course: begun, next: firstRolls(begun) };
}

/** What all gates say together. A probe says what its last try says, and a metric nothing before its first period. */
function gatesAt({ at, policy, bake }: Course, { gates }: ScenarioResult): GateWord {
  const { alarms, probe, metrics } = gatesIn(policy);
  const now = gates.filter((gate) => gate.at === at);
  const due = metrics.filter((rule) => hasPeriod(rule, bake?.since ?? at, at));
  const toAsk = { alarm: alarms.length > 0, probe: probe !== null, metric: due.length > 0 };
  const isAsked = Object.entries(toAsk).every(([kind, isDue]) => {
    return isDue === now.some((gate) => gate.kind === kind);
  });
  if (!isAsked) return 'unasked';
  const last = [...new Map(now.map(({ asked, verdict }) => [asked, verdict])).values()];
  if (last.includes('fail')) return 'no';
  return last.includes('unknown') || due.length < metrics.length ? 'unknown' : 'yes';
}

/** A whole period after the convergence is in. */
function hasPeriod(
  { periodSeconds, delaySeconds }: MetricRule,
  since: number,
  at: number,
): boolean {
  const periods = (ms: number) => ms / 1000 / periodSeconds;
  return Math.floor(periods(at - delaySeconds * 1000)) > Math.ceil(periods(since));
}

/** A person does not wait long for an answer in the first hour. */
function approvalSeconds(waited: number, left: number): number {
  const longest = waited < 3_600 ? 60 : 300;
  return Math.ceil(Math.min(Math.max(5, waited / 10), longest, left));
}
