import { isDeepStrictEqual } from 'node:util';
import type { Endpoint, PlannedEndpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { isList, isWrite, type ListCall, type WriteCall } from '../../../../lib/rehearsal/calls.ts';
import { byId, isAtWork, isForeign, REFUSED } from '../../../support/read-evidence.ts';
import { answered, isLastingNo, isLongWait, isRoll } from './answers.ts';
import {
  isBad,
  isPutOff,
  isStopped,
  isUnanswered,
  mayGoForward,
  mayHeal,
  type Shown,
  shownBy,
} from './look.ts';
import type { Course } from './next.ts';
import { watched } from './rolls.ts';
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
  // Until the service wants to be asked again, it is not.
  if (rolls.length === 0 || course.retryAt > course.at) return { course, place, at: course.at };
  // What does not lie side by side goes in several batches, in any order.
  const isOneBatch = rolls.every((index, nth) => index === (rolls[0] ?? 0) + nth);
  const batch = run.calls[place];
  // What is said while the list is read, or between two handfuls of rolls, ends them.
  const isHalted = until <= course.at + LONGEST_BATCH_CALLS * latencyMs;
  if (isHalted || !isOneBatch) return UNFORESEEN;
  if (batch === undefined || !isList(batch) || batch.at !== course.at + latencyMs) {
    return { wrong: [`${rolls.length} rolls were due, and no list was read for them`] };
  }
  if (provesNothing(walk, batch)) return { course, place: place + 1, at: batch.at };
  const end = run.calls.findIndex((call, index) => index > place && !isRoll(call)) >>> 0;
  const listed = batch.endpoints ?? [];
  const writes = run.calls
    .slice(place + 1, end)
    .filter(isWrite)
    .map((write) => asUnderstood(write, listed));
  const isForeseen = writes.every((write) => isKnown(walk, course, write));
  const mayMove = rolls.some((index) => mayMoveYet(walk, course.plan.endpoints[index], batch));
  if (!isForeseen || mayMove || !isOurs(course, listed, batch.at)) return UNFORESEEN;
  const due = dueOf(course, rolls, listed, batch.at);
  if (areRepeated(walk, writes)) return UNFORESEEN;
  // After such an answer no other handful is sent.
  if (due.length > HANDFUL && writes.some(({ answer = '' }) => LAST.has(answer))) return UNFORESEEN;
  const done = writes.map(({ endpointId }) => endpointId).toSorted();
  if (!isDeepStrictEqual(due, done)) {
    return { wrong: [`${due.join(', ')} had to be rolled, and ${done.join(', ')} were`] };
  }
  const at = (writes.at(-1)?.at ?? course.at) + latencyMs;
  const found = foundBy(course, rolls, listed, batch.at);
  return { course: answered(walk, found, writes, at), place: place + 1 + writes.length, at };
}

/** A no to what is at work is none for good. */
function asUnderstood(write: WriteCall, listed: readonly Endpoint[]): WriteCall {
  const row = byId(listed).get(write.endpointId);
  const isLater = write.answer === 'UpstreamRejected' && row !== undefined && isAtWork(row);
  return isLater ? { ...write, answer: 'UpstreamConflict' } : write;
}

/** It rests elsewhere, and less than a minute ago it was rolled to the version from which it goes back. */
function mayMoveYet({ run }: Walk, planned: PlannedEndpoint | undefined, list: ListCall): boolean {
  const row = list.endpoints?.find(({ id }) => id === planned?.endpointId);
  const isAtRest = row !== undefined && row.targetVersion === row.liveVersion;
  if (planned === undefined || !isAtRest || row.liveVersion === planned.previousVersion)
    return false;
  return run.calls.some(
    (call) =>
      isRoll(call) &&
      call.endpointId === planned.endpointId &&
      call.version === planned.previousVersion &&
      call.at <= list.at &&
      list.at - call.at < JUST_MS,
  );
}

/** A minute, and as long as an answer may take. */
const JUST_MS = 70_000;

/** So many rolls go at once. */
const HANDFUL = 8;

/** One after the other: a list, and handfuls of 8 rolls of 12 endpoints at most. */
const LONGEST_BATCH_CALLS = 4;

/** What was to be rolled once more, and is on its way by now. */
function foundBy(
  course: Course,
  rolls: readonly number[],
  listed: readonly Endpoint[],
  at: number,
): Course {
  const { plan, sent } = course;
  const rows = byId(listed);
  const found = rolls.flatMap((index) => {
    const { endpointId = '', desiredVersion, previousVersion } = plan.endpoints[index] ?? {};
    const row = rows.get(endpointId);
    const roll = sent.get(endpointId);
    const isOnItsWay =
      row?.targetVersion === desiredVersion && row?.liveVersion === previousVersion;
    return isOnItsWay && roll !== undefined && isUnanswered(roll)
      ? [[endpointId, { ...roll, at, answer: 'accepted' as const }] as const]
      : [];
  });
  const isAccepted = course.isAccepted || found.length > 0;
  const isLockedOut = course.isLockedOut && found.length === 0;
  return { ...course, isAccepted, isLockedOut, sent: new Map([...sent, ...found]) };
}

/** The same call looks again and rolls again, a few times. */
function areRepeated(walk: Walk, writes: readonly WriteCall[]): boolean {
  const isAgain = writes.some(({ answer = '' }) => MAY_PASS.has(answer));
  return isAgain && !writes.some((write) => isLongWait(walk, write));
}

/** The others would get the same answer. */
const LAST: ReadonlySet<string> = new Set([
  ...['UpstreamTimeout', 'UpstreamThrottled', 'UpstreamAuth'],
]);

/** The roll was not carried out, and may be accepted soon. */
const MAY_PASS: ReadonlySet<string> = new Set([
  ...['UpstreamTimeout', 'UpstreamThrottled', 'UpstreamTransient'],
]);

/**
 * Those that the list shows which is read for the rolls. What goes in addition to those that may be unavailable, because
 * it is on its way or broken, goes only as long as it is.
 */
function dueOf(
  { plan, shown, sent, refusals, refusedAt, forwardAt }: Course,
  rolls: readonly number[],
  listed: readonly Endpoint[],
  at: number,
): string[] {
  const rows = byId(listed);
  return rolls
    .flatMap((index) => {
      const planned = plan.endpoints[index];
      const before = shown[index];
      if (planned === undefined || before === undefined) return [];
      const { endpointId } = planned;
      const row = rows.get(endpointId);
      if (row === undefined || isForeign(row, planned) || isStopped(row)) return [];
      if (isThere(row, planned, sent.has(endpointId))) return [];
      const mayGo = mayGoForward(row, planned, forwardAt.get(endpointId), at);
      const answers = refusals.get(endpointId) ?? [];
      if (isPutOff(answers, refusedAt.get(endpointId) ?? 0, isAtWork(row), at)) return [];
      return hasToWait(row, before, mayGo) ? [] : [endpointId];
    })
    .toSorted();
}

/**
 * What was sent already goes once more only if the list shows that it is somewhere else, and what somebody else has sent
 * there only if it hangs there.
 */
function isThere(row: Endpoint, planned: PlannedEndpoint, wasSent: boolean): boolean {
  if (row.targetVersion !== planned.desiredVersion) return wasSent && row.targetVersion === null;
  return wasSent || !(mayHeal(planned) && isBad(row));
}

/** The reason is gone for which it goes beside the others. */
function hasToWait(row: Endpoint, before: Shown, mayGo: boolean): boolean {
  const isOnItsWay = row.targetVersion !== null && row.targetVersion !== row.liveVersion;
  const mayWait = before.isBroken || (before.isMoving && !isOnItsWay && !mayGo);
  return mayWait && !isBad(row);
}

/** The list that is read for the rolls shows the wave and those before it in our hands. */
function isOurs(course: Course, listed: readonly Endpoint[], at: number): boolean {
  const { plan, shown, sent } = course;
  const rows = byId(listed);
  return plan.endpoints.slice(0, watched(course)).every((planned, index) => {
    const { endpointId } = planned;
    const before = shown[index];
    const isBack = plan.direction === 'back';
    const row = rows.get(endpointId);
    // On the way forward nothing is rolled beside what somebody else has.
    if (!isBack && row !== undefined && isForeign(row, planned)) return false;
    return before && shownBy(row, planned, sent.get(endpointId), before, at, isBack) !== null;
  });
}

/**
 * What is refused when it is sent once more does not take back the first one, so only a lasting no says enough. A
 * service that carries out both only once answers the second one with what somebody else may have done since.
 */
function isKnown({ people }: Walk, { sent }: Course, write: WriteCall): boolean {
  const { endpointId, answer = '' } = write;
  const before = sent.get(endpointId);
  const isRepeated = before?.answer === 'open';
  if (isRepeated && people.some(({ kind }) => kind === 'move')) return false;
  if (SENT.has(answer)) return true;
  return before === undefined ? REFUSED.has(answer) : !isRepeated && isLastingNo(write);
}

const SENT: ReadonlySet<string> = new Set(['accepted', 'OutcomeUnknown']);
