import { type Call, isList, isWrite, type WriteCall } from '../../../../lib/rehearsal/calls.ts';
import { isRollBack, REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import { firstRolls, newCourse } from './course.ts';
import { follow, SEEN } from './judge-course.ts';
import type { Walk } from './walk.ts';

/**
 * Follows a way back call by call from the turn on, whatever has happened before it: its plan says how each endpoint
 * goes. Newer rollouts wait for it, and only an abort that leaves everything as it is ends it.
 */
export function goesBackAsForeseen(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, turnedAt } = run;
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
  const first = calls.findIndex(isBack);
  const before = calls.slice(0, Math.max(0, first));
  const isUnsure = before.some((call) => {
    return isWrite(call) && !REFUSED.has(call.answer ?? '') && !wasSeen(call, before);
  });
  if (isUnsure || calls[first]?.at !== turnedAt + latencyMs) return [];
  const stops = record.signals.filter(
    ({ kind, onFailure, at }) => kind === 'abort' && onFailure !== 'roll-back' && at >= turnedAt,
  );
  const until = stops[0]?.at ?? Number.POSITIVE_INFINITY;
  const repeatsRolls = ordeal.cannotStop;
  const walk: Walk = { run, forward, until, latencyMs, lists, writes, repeatsRolls };
  const course = newCourse(rollback.plan, request.policy, turnedAt);
  return follow(walk, { course, next: firstRolls(course), place: first - 1 });
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
