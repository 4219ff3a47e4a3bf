import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry } from '../../../../lib/domain/endpoint/journal.ts';
import type { RolloutPlan } from '../../../../lib/domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../../../lib/domain/rollout/policy.ts';
import type { MetricRule } from '../../../../lib/gates/metric-rule.ts';
import { gatesIn } from '../../../support/gates-in.ts';
import { byId } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import {
  isOverdue,
  isSettled,
  isUnderWay,
  isUnproven,
  mayGoForward,
  type Shown,
  shownBy,
} from './look.ts';
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
  isDone,
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
  // What a busy endpoint asks for is about no other one.
  const putOff = rolls.filter(({ reason }) => reason !== 'UpstreamConflict');
  const retryAt = Math.max(0, ...putOff.map((line) => line.retryAt ?? 0));
  const shown = plan.endpoints.map((planned): Shown => {
    const { isBroken = false, isUnsettled = false, previousVersion, previousTarget } = planned;
    const wasMoving = previousTarget !== null && previousTarget !== previousVersion;
    const isMoving = plan.direction === 'back' ? isUnsettled : wasMoving;
    const isAs = { state: 'pending', reads: 1, since: at, furthest: 0 } as const;
    return { ...isAs, isBroken, isMoving, isAtWork: false, hadTarget: false, hasFailedLive: false };
  });
  const nothing = {
    wave: 0,
    reach: 0,
    fastestMs: null,
    bake: null,
    halted: null,
    gates: null,
    unreadSeconds: null,
  };
  const none = { sent: new Map(), refusals: new Map(), refusedAt: new Map() };
  const isLockedOut = rolls.at(-1)?.reason === 'UpstreamAuth';
  const answers = { ...none, isAccepted: false, isLockedOut };
  const times = { at, readAt: at, progressedAt: at };
  return { plan, policy, shown, forwardAt, retryAt, ...answers, ...times, ...nothing };
}

export function beginWave(course: Course, wave: number): Course {
  const { gates: said, bake } = course;
  const gates = said && { ...said, since: bake?.since ?? said.since };
  const begun = { ...course, wave, progressedAt: course.at, bake: null, halted: null, gates };
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
    const last = course.shown[index];
    const isNews = state === 'converged' && last?.state !== 'converged';
    // What looked live before it was proven does not say how long its roll took.
    return isNews && !(last && isUnproven(last)) && one !== undefined && course.bake === null
      ? [at - one.at]
      : [];
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
    bakedSeconds: Math.min(bakedSeconds + watchedMs(course, wait) / 1000, most),
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
    const said = inTime(run, course, again, false);
    return { ...said, course: { ...said.course, bake: null, halted, progressedAt: course.at } };
  }
  if (halted !== null) return decidedInBake(run, course, halted);
  const next = afterCheck(course);
  if (next !== 'bake') return inTime(run, course, next, false);
  const begun: Bake = { since: course.at, bakedSeconds: 0, doubtSeconds: null, isAsked: false };
  const bake = course.halted === null ? begun : { ...course.halted, doubtSeconds: null };
  const seconds = bakeSecondsLeft(course, bake.bakedSeconds);
  const look: Next = { follows: 'look', seconds, rolls: [] };
  const baking = { ...course, bake };
  // What has no bake is asked at its end.
  return seconds === 0
    ? { course: baking, next: look }
    : inTime(run, baking, look, course.halted === null);
}

/** What follows a look before the end of a bake, at which the gates of the waves so far may be due. */
function inTime(
  run: ScenarioResult,
  course: Course,
  next: Next,
  isWhole: boolean,
): { course: Course; next: Next } {
  if (next.follows !== 'look' || course.plan.direction === 'back') return { course, next };
  const said = hear(run, course, isWhole);
  if (said.word === 'unasked') return { course, next: { follows: 'gates' } };
  const { gates } = said.course;
  if (said.isConfirmed) {
    return { course: said.course, next: { follows: 'end', reasons: ['GateFailed'] } };
  }
  const left = gates === null ? next.seconds : Math.ceil((gates.dueAt - course.at) / 1000);
  return { course: said.course, next: { ...next, seconds: Math.min(next.seconds, left) } };
}

/** What the gates say at a look, if they are due. A no counts when it is said again, a poll later. */
function hear(
  run: ScenarioResult,
  course: Course,
  isWhole: boolean,
): { readonly course: Course; readonly word: GateWord; readonly isConfirmed: boolean } {
  const { gates, at, policy, wave, halted } = course;
  const bake = course.bake ?? halted;
  const { everySeconds = 60 } = policy.verify;
  const { alarms, probe, metrics } = gatesIn(policy);
  const isNone = alarms.length + metrics.length === 0 && probe === null;
  const isDue = isWhole || gates === null || at >= gates.dueAt;
  const isFirst = bake === null && wave === 0 && gates === null;
  const isTooEarly = isFirst && !isAnyLive(course, endOfAsked(course));
  if (isNone || !isDue || isTooEarly) {
    return { course, word: 'yes', isConfirmed: false };
  }
  const word = gatesAt(course, run);
  const asked = run.gates.filter((gate) => gate.at === at);
  const last = new Map(asked.map((gate) => [keyOf(gate), gate.verdict]));
  // A no does not count before a wave has warmed up.
  const warmAt = bake === null ? 0 : bake.since + 1000 * (policy.verify.warmUpSeconds ?? 0);
  const said = at < warmAt ? [] : [...last];
  const red = said.flatMap(([key, verdict]) => (verdict === 'fail' ? [key] : []));
  const before = gates?.noes ?? new Map<string, number>();
  const kept = [...before].filter(([key]) => last.get(key) !== 'pass');
  const noes = new Map([...red.map((key): [string, number] => [key, at]), ...kept]);
  const isConfirmed = red.some((key) => at - (noes.get(key) ?? at) >= policy.pollSeconds * 1000);
  const dueAt = at + 1000 * (red.length > 0 ? policy.pollSeconds : everySeconds);
  const heard = { dueAt, noes, since: gates?.since ?? null };
  return { course: { ...course, gates: heard }, word, isConfirmed };
}

/** Endpoints of a wave that still rolls are asked about, too, unless it has to warm up first. */
function endOfAsked({ plan, policy, wave, ...course }: Course): number {
  const { from = 0 } = plan.waves[wave] ?? {};
  const waits = (course.bake ?? course.halted) === null && (policy.verify.warmUpSeconds ?? 0) > 0;
  return waits ? from : watched({ plan, wave });
}

function isAnyLive({ shown }: Course, end: number): boolean {
  return shown.slice(0, end).some(isSettled);
}

/** A metric is the same at any time. */
function keyOf({ kind, asked }: ScenarioResult['gates'][number]): string {
  return JSON.stringify([kind, typeof asked === 'string' ? asked : [asked.endpoint, asked.rule]]);
}

function stillBakes(
  run: ScenarioResult,
  course: Course,
  bake: Bake,
): { course: Course; next: Next } | null {
  const doubtSeconds = holds(course) ? null : bake.doubtSeconds;
  const looked = { ...course, bake: { ...bake, doubtSeconds } };
  const next = afterBake(course, bake, 'unasked', false);
  return next === 'approval' || next === 'next-wave' ? null : inTime(run, looked, next, false);
}

function decidedInBake(
  run: ScenarioResult,
  course: Course,
  bake: Bake,
): { course: Course; next: Next } | null {
  if (!isDone(course, bake)) return stillBakes(run, course, bake);
  const { course: said, word: gates, isConfirmed } = hear(run, course, true);
  const next = afterBake(said, bake, gates, isConfirmed);
  if (next === 'next-wave') return goesOn(said);
  const now = { ...bake, doubtSeconds: gates === 'yes' ? null : bake.doubtSeconds };
  if (next !== 'approval') return { course: { ...said, bake: now }, next };
  const yes = run.record?.signals.find(({ wave }) => wave === course.wave);
  if (yes !== undefined && yes.at <= course.at) {
    // Whether the look knows of what is said while it reads, only the next wave tells.
    const isTold = run.record?.events.some(({ kind, at }) => {
      return kind === 'wave-started' && at === course.at;
    });
    if (isTold || yes.at < course.at - LONGEST_READ_MS) return goesOn(said);
  }
  const { approval } = course.policy.verify;
  const waited = bake.bakedSeconds - (course.plan.waves[course.wave]?.bakeSeconds ?? 0);
  const left = (approval?.timeoutSeconds ?? 0) - waited;
  if (left <= 0) return approval?.onTimeout === 'approve' ? goesOn(said) : null;
  const seconds = approvalSeconds(waited, left);
  return {
    course: { ...said, bake: { ...now, isAsked: true } },
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
function gatesAt(course: Course, { gates }: ScenarioResult): GateWord {
  const { at, policy, halted } = course;
  const bake = course.bake ?? halted;
  const { alarms, probe, metrics } = gatesIn(policy);
  const now = gates.filter((gate) => gate.at === at);
  const since = bake?.since ?? course.gates?.since ?? at;
  const { from = 0 } = course.plan.waves[course.wave] ?? {};
  const end = bake === null ? from : watched(course);
  const due = metrics.filter((rule) => hasPeriod(rule, since, at));
  const isOfAny = (rule: MetricRule) =>
    isAnyLive(course, end) ||
    !Object.values(rule.dimensions).some((value) => value.includes('{endpoint}'));
  const toAsk = {
    alarm: alarms.length > 0,
    probe: probe !== null && isAnyLive(course, endOfAsked(course)),
    metric: due.some(isOfAny),
  };
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
