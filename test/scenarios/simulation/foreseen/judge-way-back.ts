import { type Call, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { isRollBack, REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import { firstRolls, newCourse } from './course.ts';
import { follow, MUTE, SEEN } from './judge-course.ts';
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
    writes.every(({ kind }) => !MUTE.has(kind)) &&
    (latencyMs === 0 || lists.every(({ kind }) => SEEN.has(kind)));
  if (record === null || !isClear || turnedAt === null || !request?.policy) return [];
  if (forward == null || rollback == null) return [];
  // To roll to the version that it had before may be no way back at all.
  const { endpoints } = rollback.plan;
  if (endpoints.some(({ previousVersion, desiredVersion }) => previousVersion === desiredVersion))
    return [];
  const isBack = (call: Call) => isWrite(call) && isRollBack(call, record, turnedAt);
  const first = calls.findIndex(isBack);
  const isUnsure = calls
    .slice(0, Math.max(0, first))
    .some((call) => isWrite(call) && !isSure(call.answer) && call.at > turnedAt - UNSURE_MS);
  if (isUnsure || calls[first]?.at !== turnedAt + latencyMs) return [];
  const stops = record.signals.filter(
    ({ kind, onFailure, at }) => kind === 'abort' && onFailure !== 'roll-back' && at >= turnedAt,
  );
  const until = stops[0]?.at ?? Number.POSITIVE_INFINITY;
  const repeatsRolls = ordeal.cannotStop;
  const walk: Walk = { run, forward, until, latencyMs, isMute: false, lists, writes, repeatsRolls };
  const course = newCourse(rollback.plan, request.policy, turnedAt);
  return follow(walk, { course, next: firstRolls(course), place: first - 1 });
}

function isSure(answer = ''): boolean {
  return answer === 'accepted' || REFUSED.has(answer);
}

/** For so long a roll without an answer may still be carried out. */
const UNSURE_MS = 60_000;
