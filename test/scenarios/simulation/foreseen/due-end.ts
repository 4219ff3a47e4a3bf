import { isDeepStrictEqual } from 'node:util';
import type { RolloutPlan } from '../../../../lib/domain/rollout/plan.ts';
import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import { accusedIn } from '../judges/in-bake.ts';
import { firstRolls, newCourse } from './course.ts';
import { isElsewhere, type Shown } from './look.ts';
import type { Course } from './next.ts';
import { type Stand, UNFORESEEN, type Verdict, type Walk } from './walk.ts';

/** It ends with this look, or turns around. */
export function endAsDue(
  walk: Walk,
  course: Course,
  reasons: readonly string[],
  place: number,
): Stand | Verdict {
  const { outcome, record, calls, turnedAt } = walk.run;
  if (course.plan.direction === 'back') return closesNow(walk, course, place);
  const failing = record?.events.find((event) => event.kind === 'failing');
  const reason = failing?.reason ?? outcome.reason;
  if ((failing !== undefined && failing.at !== course.at) || !reasons.includes(reason)) {
    const wrong = `it had to end with ${reasons.join(' or ')}, and ended with ${outcome.reason}`;
    return { wrong: [wrong] };
  }
  if (record?.rollback == null) {
    const isStopping = failing?.onFailure === 'stop-old';
    const rest = calls.findIndex(({ operation }) => operation === 'close');
    return closesNow(walk, course, isStopping ? rest : place);
  }
  if (turnedAt === null || turnedAt >= walk.until) return UNFORESEEN;
  const { plan } = record.rollback;
  // What no list has shown may still come.
  const isOpen = course.plan.endpoints.some(({ endpointId }, index) => {
    const answer = course.sent.get(endpointId)?.answer;
    return answer !== undefined && answer !== 'told' && !course.shown[index]?.hadTarget;
  });
  if (isOpen) return UNFORESEEN;
  const wrong = turnedWrong(course, plan, accusedIn(record, walk.run));
  if (wrong.length > 0) return { wrong };
  if (plan.endpoints.length === 0) return closesNow(walk, course, place);
  const turned = newCourse(plan, course.policy, course.at, record.journal);
  const back = { ...turned, isLockedOut: course.isLockedOut };
  return { course: back, next: firstRolls(back), place };
}

/** The next call is its close, as soon as the one before it is answered. */
function closesNow({ run, latencyMs, until }: Walk, { at }: Course, place: number): Verdict {
  const last = run.calls[place];
  if (last !== undefined && last.at >= until) return UNFORESEEN;
  const before = run.calls[place - 1];
  const answeredAt = before !== undefined && isWrite(before) ? before.at + latencyMs : before?.at;
  const isClosed = last?.operation === 'close' && last.at === Math.max(at, answeredAt ?? at);
  return { wrong: isClosed ? [] : [`its end was due, and it went on: ${run.outcome.message}`] };
}

/** How an endpoint goes back that is broken, that is not surely live, and that is healthy. */
const PLACES = [' (broken)', ' (unsettled)', ''] as const;

/** All that was rolled goes back: first what is broken or accused by a gate, then what is not surely live, and then the rest. */
function turnedWrong(
  { plan, shown, sent }: Course,
  back: RolloutPlan,
  accused: ReadonlySet<string>,
): string[] {
  const rolled = plan.endpoints.flatMap(({ endpointId }, index) => {
    const one = shown[index];
    const roll = sent.get(endpointId);
    const isNone = roll === undefined || roll.refusal !== null || one === undefined;
    return isNone || isElsewhere(one.state) ? [] : [{ endpointId, one }];
  });
  const placeOf = (one: Shown) => {
    if (one.state === 'converged' && one.furthest === 4) return 2;
    return one.state === 'failed' && one.reads >= 2 ? 0 : 1;
  };
  const turnOf = ({ endpointId, one }: (typeof rolled)[number]) =>
    accused.has(endpointId) ? 0 : placeOf(one);
  const due = rolled
    .toSorted((one, other) => turnOf(one) - turnOf(other))
    .map(({ endpointId, one }) => endpointId + PLACES[placeOf(one)]);
  const is = back.endpoints.map(({ endpointId, isBroken, isUnsettled }) => {
    return `${endpointId}${isBroken ? PLACES[0] : ''}${isUnsettled ? PLACES[1] : ''}`;
  });
  return isDeepStrictEqual(due, is)
    ? []
    : [`${due.join(', ')} had to go back, and it was ${is.join(', ')}`];
}
