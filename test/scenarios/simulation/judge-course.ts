import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { RolloutPlan } from '../../../lib/domain/rollout/plan.ts';
import { type Call, isList, isWrite, type WriteCall } from '../../../lib/rehearsal/calls.ts';
import { byId } from '../../support/read-evidence.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import { beginWave, decided, firstRolls, newCourse, withRead } from './foreseen-course.ts';
import { isBad, type Shown, shownBy } from './foreseen-look.ts';
import { type Course, type Next, watched } from './foreseen-next.ts';
import { isWhole } from './judge-kept.ts';
import type { Ordeal } from './ordeal.ts';

/**
 * Follows a rollout call by call, as far as its plan, its reads and the answers to its rolls say all that it can know,
 * and says each time what has to come next, to the second. As soon as anything else counts, nothing is foreseen.
 */
export function goesAsForeseen(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record } = run;
  const { death, stall, clock, word, latencyMs, lists } = ordeal;
  const isClear =
    [death, stall, clock, word].every((one) => one === null) &&
    ordeal.policy.statuses === undefined &&
    (latencyMs === 0 || lists.every(({ kind }) => SEEN.has(kind)));
  const policy = record?.request.policy;
  const plan = record?.plan;
  if (record === null || !isClear || !policy || plan == null || !isPlain(plan)) return [];
  const first = run.calls.findIndex(isWrite);
  const startedAt = record.events.find(({ kind }) => kind === 'started')?.at;
  // What the first list for a roll did not let through may come later, for another reason.
  const isAtOnce = run.calls[first]?.at === (startedAt ?? 0) + latencyMs;
  if (startedAt === undefined || !isAtOnce) return [];
  const course = beginWave(newCourse(plan, policy, startedAt), 0);
  const until = record.signals[0]?.at ?? Number.POSITIVE_INFINITY;
  const isMute = ordeal.writes.some(({ kind }) => MUTE.has(kind));
  const walk: Walk = { run, forward: plan, until, latencyMs, isMute };
  return follow(walk, { course, next: firstRolls(course), place: first - 1 });
}

/** What goes wrong with a list that comes as fast as any other. */
const SEEN: ReadonlySet<string> = new Set(['blind', 'dark', 'odd', 'some', 'short', 'hidden']);

/** Their answers do not show the target. */
const MUTE: ReadonlySet<string> = new Set(['mute', 'queued', 'late', 'ignored']);

interface Walk {
  readonly run: ScenarioResult;
  /** It says how many endpoints there were, also on the way back. */
  readonly forward: RolloutPlan;
  /** From then on somebody has said something. */
  readonly until: number;
  /** Of each call of the service. */
  readonly latencyMs: number;
  /** The answer to a roll may not show its target. On the way back that leaves it open whether it has arrived. */
  readonly isMute: boolean;
}

/** Nothing had moved, failed or gone dark before the plan. */
function isPlain({ endpoints }: RolloutPlan): boolean {
  return endpoints.every(
    ({ previousVersion, previousTarget, desiredVersion, failedBefore, wasDark }) =>
      previousVersion !== null &&
      previousVersion >= 1 &&
      previousVersion === previousTarget &&
      previousVersion !== desiredVersion &&
      !failedBefore &&
      !wasDark,
  );
}

/** Where a rollout is: `next` has to come after the look at `course.at`, and its first call is `place`. */
interface Stand {
  readonly course: Course;
  readonly next: Next;
  readonly place: number;
}

interface Verdict {
  readonly wrong: string[];
}

/** Nobody can say more. */
const UNFORESEEN: Verdict = { wrong: [] };

function follow(walk: Walk, from: Stand): string[] {
  let stand = from;
  while (true) {
    const after = goOn(walk, stand);
    if ('wrong' in after) return after.wrong;
    stand = after;
  }
}

/** Up to the next look, and to what it leads to. */
function goOn(walk: Walk, { course, next, place }: Stand): Stand | Verdict {
  if (course.at >= walk.until) return UNFORESEEN;
  if (next.follows === 'alarms') return { wrong: ['the alarms had to be asked'] };
  if (next.follows === 'end') return { wrong: endsSo(walk, course, next.reasons, place) };
  const rolled = rollAsDue(walk, course, next.rolls, place);
  if ('wrong' in rolled) return rolled;
  const at = rolled.at + next.seconds * 1000 + walk.latencyMs;
  const look = walk.run.calls[rolled.place];
  if (at >= walk.until || isUnread(look)) return UNFORESEEN;
  if (look === undefined || !isList(look) || look.at !== at) {
    const what = look === undefined ? 'nothing came' : `${look.operation} came`;
    const late = ((look?.at ?? 0) - at) / 1000;
    return { wrong: [`a read was due after ${next.seconds} s, and ${what} ${late} s later`] };
  }
  if (!isWhole(look, { plan: walk.forward })) return UNFORESEEN;
  const read = withRead(rolled.course, look.endpoints ?? [], at, next.seconds);
  const after = read === null ? null : decided(walk.run, read);
  return after === null ? UNFORESEEN : { ...after, place: rolled.place + 1 };
}

type Rolled =
  | {
      readonly course: Course;
      /** Of the call that comes next. */
      readonly place: number;
      /** When the last roll was answered. */
      readonly at: number;
    }
  | Verdict;

/** The list is read for the rolls, and just those endpoints are rolled. */
function rollAsDue(
  { run, forward, latencyMs, until }: Walk,
  course: Course,
  rolls: readonly number[],
  place: number,
): Rolled {
  if (rolls.length === 0) return { course, place, at: course.at };
  // What does not lie side by side goes in several batches, in any order.
  const isOneBatch = rolls.every((index, nth) => index === (rolls[0] ?? 0) + nth);
  const batch = run.calls[place];
  // What is said while the list is read, or between two handfuls of rolls, ends them.
  if (until <= course.at + LONGEST_BATCH_CALLS * latencyMs) return UNFORESEEN;
  if (!isOneBatch || isUnread(batch)) return UNFORESEEN;
  if (batch === undefined || !isList(batch) || batch.at !== course.at + latencyMs) {
    return { wrong: [`${rolls.length} rolls were due, and no list was read for them`] };
  }
  const end = run.calls.findIndex((call, index) => index > place && !isRoll(call)) >>> 0;
  const writes = run.calls.slice(place + 1, end).filter(isWrite);
  const due = dueOf(course, rolls, batch.endpoints ?? []);
  const done = writes.map(({ endpointId }) => endpointId).toSorted();
  const isCertain = writes.every(({ answer }) => CERTAIN.has(answer ?? ''));
  if (!isCertain || !isWhole(batch, { plan: forward })) return UNFORESEEN;
  if (!isOurs(course, batch.endpoints ?? [])) return UNFORESEEN;
  if (!isDeepStrictEqual(due, done)) {
    return { wrong: [`${due.join(', ')} had to be rolled, and ${done.join(', ')} were`] };
  }
  const at = (writes.at(-1)?.at ?? course.at) + latencyMs;
  return { course: answered(course, writes, at), place: place + 1 + writes.length, at };
}

/** One after the other: a list, and handfuls of 8 rolls of 12 endpoints at most. */
const LONGEST_BATCH_CALLS = 4;

/** What the service said to each roll. */
function answered(course: Course, writes: readonly WriteCall[], at: number): Course {
  const sent = new Map(course.sent);
  const refusals = new Map(course.refusals);
  for (const { endpointId, answer = '' } of writes) {
    const earlier = refusals.get(endpointId) ?? [];
    const all = answer === 'UpstreamTransient' ? earlier : [...earlier, answer];
    const isLasting = answer === 'UpstreamRejected' || all.length >= MOST_REFUSALS;
    if (answer === 'accepted') sent.set(endpointId, { at, refusal: null });
    else if (isLasting) sent.set(endpointId, { at, refusal: answer });
    else refusals.set(endpointId, all);
  }
  return { ...course, sent, refusals };
}

/** So many refusals that may pass are one that lasts. */
const MOST_REFUSALS = 5;

/**
 * Those that the list shows which is read for the rolls. What goes in addition to those that may be unavailable, because
 * it is on its way or broken, goes only as long as it is.
 */
function dueOf(
  { plan, shown, refusals }: Course,
  rolls: readonly number[],
  listed: readonly Endpoint[],
): string[] {
  const rows = byId(listed);
  return rolls
    .flatMap((index) => {
      const { endpointId = '' } = plan.endpoints[index] ?? {};
      const row = rows.get(endpointId);
      const before = shown[index];
      if (row === undefined || before === undefined) return [];
      const isOnItsWay = row.targetVersion !== null && row.targetVersion !== row.liveVersion;
      // Such a service rolls it only when it has come to rest.
      const isBusy = refusals.get(endpointId)?.at(-1) === 'UpstreamConflict' && isOnItsWay;
      const hasToWait =
        (before.isBroken && !isBad(row)) ||
        (before.isMoving && !isOnItsWay && !isBad(row)) ||
        (isBusy && !isBad(row));
      return hasToWait ? [] : [endpointId];
    })
    .toSorted();
}

/** The list that is read for the rolls shows the wave and those before it in our hands. */
function isOurs(course: Course, listed: readonly Endpoint[]): boolean {
  const { plan, shown, sent } = course;
  const rows = byId(listed);
  return plan.endpoints.slice(0, watched(course)).every((planned, index) => {
    const { endpointId } = planned;
    const before = shown[index];
    return before && shownBy(rows.get(endpointId), planned, sent.get(endpointId), before) !== null;
  });
}

function isUnread(call: Call | undefined): boolean {
  return call !== undefined && isList(call) && call.endpoints === null;
}

/** Answers after which the others of the batch are sent all the same, and that ask for no wait. */
const CERTAIN: ReadonlySet<string> = new Set([
  ...['accepted', 'UpstreamRejected', 'UpstreamConflict', 'UpstreamNotFound', 'UpstreamTransient'],
]);

function isRoll(call: Call): boolean {
  return isWrite(call) && call.operation === 'roll';
}

/** It ends with this look, or turns around. */
function endsSo(walk: Walk, course: Course, reasons: readonly string[], place: number): string[] {
  const { outcome, record, calls } = walk.run;
  if (course.plan.direction === 'back') return closesNow(walk, course, place);
  const failing = record?.events.find((event) => event.kind === 'failing');
  const reason = failing?.reason ?? outcome.reason;
  if ((failing !== undefined && failing.at !== course.at) || !reasons.includes(reason)) {
    return [`it had to end with ${reasons.join(' or ')}, and ended with ${outcome.reason}`];
  }
  if (record?.rollback == null) {
    const isStopping = failing !== undefined && course.policy.onFailure === 'stop-old';
    const rest = calls.findIndex(({ operation }) => operation === 'close');
    return closesNow(walk, course, isStopping ? rest : place);
  }
  const { plan } = record.rollback;
  const wrong = turnedWrong(course, plan);
  if (wrong.length > 0 || plan.endpoints.length === 0 || walk.isMute) return wrong;
  const back = newCourse(plan, course.policy, course.at);
  return follow(walk, { course: back, next: firstRolls(back), place });
}

/** The next call is its close, as soon as the one before it is answered. */
function closesNow({ run, latencyMs }: Walk, { at }: Course, place: number): string[] {
  const last = run.calls[place];
  const before = run.calls[place - 1];
  const answeredAt = before !== undefined && isWrite(before) ? before.at + latencyMs : before?.at;
  return last?.operation === 'close' && last.at === Math.max(at, answeredAt ?? at)
    ? []
    : [`its end was due, and it went on: ${run.outcome.message}`];
}

/** How an endpoint goes back that is broken, that is not surely live, and that is healthy. */
const PLACES = [' (broken)', ' (unsettled)', ''] as const;

/** All that was rolled goes back: first what is broken, then what is not surely live, and then the rest. */
function turnedWrong({ plan, shown, sent }: Course, back: RolloutPlan): string[] {
  const rolled = plan.endpoints.flatMap(({ endpointId }, index) => {
    const one = shown[index];
    const roll = sent.get(endpointId);
    return roll === undefined || roll.refusal !== null || one === undefined
      ? []
      : [{ endpointId, one }];
  });
  const placeOf = (one: Shown) => {
    if (one.state === 'converged' && one.furthest === 4) return 2;
    return one.state === 'failed' && one.reads >= 2 ? 0 : 1;
  };
  const due = PLACES.flatMap((word, place) =>
    rolled.flatMap(({ endpointId, one }) => (placeOf(one) === place ? [endpointId + word] : [])),
  );
  const is = back.endpoints.map(({ endpointId, isBroken, isUnsettled }) => {
    return `${endpointId}${isBroken ? PLACES[0] : ''}${isUnsettled ? PLACES[1] : ''}`;
  });
  return isDeepStrictEqual(due, is)
    ? []
    : [`${due.join(', ')} had to go back, and it was ${is.join(', ')}`];
}
