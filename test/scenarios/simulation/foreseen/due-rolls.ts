import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { type Call, isList, isWrite, type WriteCall } from '../../../../lib/rehearsal/calls.ts';
import { byId } from '../../../support/read-evidence.ts';
import { isBad, shownBy } from './look.ts';
import { type Course, watched } from './next.ts';
import { provesNothing, UNFORESEEN, type Verdict, type Walk } from './walk.ts';

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
export function rollAsDue(
  walk: Walk,
  course: Course,
  rolls: readonly number[],
  place: number,
): Rolled {
  const { run, latencyMs, until } = walk;
  if (rolls.length === 0) return { course, place, at: course.at };
  // What does not lie side by side goes in several batches, in any order.
  const isOneBatch = rolls.every((index, nth) => index === (rolls[0] ?? 0) + nth);
  const batch = run.calls[place];
  // What is said while the list is read, or between two handfuls of rolls, ends them.
  if (until <= course.at + LONGEST_BATCH_CALLS * latencyMs) return UNFORESEEN;
  if (!isOneBatch) return UNFORESEEN;
  if (batch === undefined || !isList(batch) || batch.at !== course.at + latencyMs) {
    return { wrong: [`${rolls.length} rolls were due, and no list was read for them`] };
  }
  if (provesNothing(walk, batch)) return { course, place: place + 1, at: batch.at };
  const end = run.calls.findIndex((call, index) => index > place && !isRoll(call)) >>> 0;
  const writes = run.calls.slice(place + 1, end).filter(isWrite);
  const listed = batch.endpoints ?? [];
  const isCertain = writes.every(({ answer }) => CERTAIN.has(answer ?? ''));
  if (!isCertain || !isOurs(course, listed)) return UNFORESEEN;
  const due = dueOf(course, rolls, listed);
  const done = writes.map(({ endpointId }) => endpointId).toSorted();
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
      // A service that has refused it with a conflict rolls it only when it has come to rest.
      const isBusy = refusals.get(endpointId)?.at(-1) === 'UpstreamConflict' && isOnItsWay;
      const mayWait = before.isBroken || (before.isMoving && !isOnItsWay) || isBusy;
      return mayWait && !isBad(row) ? [] : [endpointId];
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
    const isBack = plan.direction === 'back';
    return (
      before &&
      shownBy(rows.get(endpointId), planned, sent.get(endpointId), before, isBack) !== null
    );
  });
}

/** Answers after which the others of the batch are sent all the same, and that ask for no wait. */
const CERTAIN: ReadonlySet<string> = new Set([
  ...['accepted', 'UpstreamRejected', 'UpstreamConflict', 'UpstreamNotFound', 'UpstreamTransient'],
]);

function isRoll(call: Call): boolean {
  return isWrite(call) && call.operation === 'roll';
}
