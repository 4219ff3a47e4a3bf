import { type Call, isList, isWrite, type WriteCall } from '../../../../lib/rehearsal/calls.ts';
import { isRollBack, REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import type { Beside } from '../to-script.ts';
import { firstRolls, newCourse } from './course.ts';
import { follow, SEEN } from './judge-course.ts';
import type { Walk } from './walk.ts';

/**
 * Follows a way back call by call from the turn on, whatever has happened before it: its plan says how each endpoint
 * goes. Newer rollouts wait for it, and only an abort that leaves everything as it is ends it.
 */
export function goesBackAsForeseen(
  ordeal: Ordeal,
  run: ScenarioResult & Partial<Pick<Beside, 'holds'>>,
): string[] {
  const { record, calls, turnedAt, holds = [] } = run;
  const { latencyMs, lists, writes } = ordeal;
  const { plan: forward, rollback, request } = record ?? {};
  const isClear =
    isSteady(ordeal) &&
    ordeal.policy.statuses === undefined &&
    (latencyMs === 0 || lists.every(({ kind }) => SEEN.has(kind)));
  if (record === null || !isClear || turnedAt === null || !request?.policy) return [];
  if (forward == null || rollback == null) return [];
  // To roll to the version that it had before may be no way back at all.
  const { endpoints } = rollback.plan;
  if (endpoints.some(({ previousVersion, desiredVersion }) => previousVersion === desiredVersion))
    return [];
  const isBack = (call: Call) => isWrite(call) && isRollBack(call, record, turnedAt);
  const course = newCourse(rollback.plan, request.policy, turnedAt, record.journal);
  const isPutOff = course.retryAt > turnedAt;
  const list = lastListOf(calls, calls.findIndex(isBack), turnedAt + latencyMs, isPutOff);
  if (list === null || isUnsure(ordeal, calls.slice(0, list + 1))) return [];
  // As long as the service wants no rolls, no list is read for them.
  const place = isPutOff ? list + 1 : list;
  const stops = record.signals.filter(
    ({ kind, onFailure, at }) => kind === 'abort' && onFailure !== 'roll-back' && at >= turnedAt,
  );
  const until = Math.min(toldAt(ordeal, holds, turnedAt), stops[0]?.at ?? Number.POSITIVE_INFINITY);
  const repeatsRolls = ordeal.cannotStop;
  const { people } = ordeal;
  const walk: Walk = { run, forward, until, latencyMs, lists, writes, people, repeatsRolls };
  const next = firstRolls(course);
  return next.rolls.length === 0 ? [] : follow(walk, { course, next, place });
}

/**
 * The last list that is read before the first rolls, or before the first look.
 *
 * @param first The first roll. -1: there is none.
 * @param at When the first rolls are due.
 * @returns `null` when nobody can say.
 */
function lastListOf(
  calls: readonly Call[],
  first: number,
  at: number,
  isPutOff: boolean,
): number | null {
  if (!isPutOff && calls[first]?.at === at) return first - 1;
  const last = calls.findLastIndex((call) => isList(call) && call.at <= at);
  const list = calls[last];
  // When the list that is read for the first rolls says nothing, they come later.
  const isSilent = list !== undefined && isList(list) && list.endpoints === null;
  return isPutOff || isSilent ? last : null;
}

/** When a process that listens looks again because a hold has changed, also on a way back. */
function toldAt({ held }: Ordeal, holds: Beside['holds'], since: number): number {
  if (!held?.listens) return Number.POSITIVE_INFINITY;
  const changes = holds.flatMap(({ addedAt, overAt }) => [addedAt, overAt]);
  return Math.min(...changes.filter((at) => at >= since));
}

/** Something was rolled that may still be carried out. */
function isUnsure({ writes, lists }: Ordeal, before: readonly Call[]): boolean {
  // Where every answer is true, what was accepted is carried out.
  const isTrue = writes.length === 0 && lists.every(({ kind }) => kind.startsWith('Upstream'));
  return before.some((call) => {
    if (!isWrite(call) || REFUSED.has(call.answer ?? '')) return false;
    return !(isTrue && call.answer === 'accepted') && !wasSeen(call, before);
  });
}

/** What no list has shown may still be carried out. */
function wasSeen({ endpointId, version, at }: WriteCall, calls: readonly Call[]): boolean {
  return calls.some(
    (call) =>
      isList(call) &&
      call.at >= at &&
      call.endpoints?.some((one) => one.id === endpointId && one.targetVersion === version),
  );
}
