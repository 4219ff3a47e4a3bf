import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../lib/domain/endpoint.ts';
import type { Outcome } from '../../lib/domain/outcome.ts';
import type { PlannedEndpoint, RolloutPlan, RolloutRecord } from '../../lib/domain/rollout.ts';
import { type Call, isList, isWrite, type ListCall, type WriteCall } from './call-log.ts';

/** All that is left of a rollout when it is over. */
export interface Trace {
  readonly outcome: Outcome;
  /** `null`: it never got the lease. */
  readonly record: RolloutRecord | null;
  /** Of this rollout, in order. */
  readonly calls: readonly Call[];
  /** Every state that was entered, in order. */
  readonly states: readonly string[];
}

/**
 * What must hold after every rollout, whatever went wrong in it. Each answers its violations, in the
 * numbers of the reliability brief.
 */
export const INVARIANTS: Readonly<Record<string, (trace: Trace) => string[]>> = {
  '1 scope': writesStayInPlan,
  '2 no stop at the desired version': stopsFollowTheirRead,
  '3 at most maxUnavailable in mid-roll': midRollStaysBounded,
  '4 waves in order': wavesWaitForTheirGate,
  '6 one outcome, last of all': closesOnce,
  '9 success is proven': successIsProven,
  '10 superseded endpoints are left alone': supersededIsLeft,
  '12 bounded effort': effortIsBounded,
  '13 no write on a failed read': writesFollowARead,
};

export function violationsOf(trace: Trace): string[] {
  return Object.entries(INVARIANTS).flatMap(([name, check]) =>
    check(trace).map((violation) => `${name}: ${violation}`),
  );
}

function writesStayInPlan({ calls, record }: Trace): string[] {
  const planned = new Set(record?.plan?.endpoints.map(({ endpointId }) => endpointId));
  return calls
    .filter(isWrite)
    .filter(({ endpointId }) => !planned.has(endpointId))
    .map(({ operation, endpointId }) => `${operation} of ${endpointId}, which is not in the plan`);
}

/** The call just before a stop is a complete read, and that read shows an older live version. */
function stopsFollowTheirRead({ calls, record }: Trace): string[] {
  const desired = record?.request.desiredVersion;
  return calls.flatMap((call, index) => {
    if (call.operation !== 'stop') return [];
    const before = calls[index - 1];
    if (before?.operation !== 'list' || before.endpoints === null) {
      return [`${call.endpointId} was stopped without a read for it`];
    }
    const seen = before.endpoints.find(({ id }) => id === call.endpointId);
    return seen === undefined || seen.liveVersion === desired
      ? [`${call.endpointId} was stopped, and the read before showed version ${seen?.liveVersion}`]
      : [];
  });
}

/** Rolled and not yet seen to have converged in two complete reads in a row, nor given up. */
function midRollStaysBounded({ calls, record }: Trace): string[] {
  const plan = record?.plan;
  if (!plan) return [];
  const planned = byId(plan);
  const desired = record.request.desiredVersion;
  const open = new Map<string, number>();
  return calls.flatMap((call) => {
    if (isList(call)) settle(open, call, planned, desired);
    if (call.operation === 'stop') open.delete(call.endpointId);
    if (call.operation !== 'roll') return [];
    open.set(call.endpointId, 0);
    return open.size > plan.maxUnavailable
      ? [`${open.size} in mid-roll at ${call.at}, allowed are ${plan.maxUnavailable}`]
      : [];
  });
}

function settle(
  open: Map<string, number>,
  { endpoints }: ListCall,
  planned: ReadonlyMap<string, PlannedEndpoint>,
  desired: number,
): void {
  for (const endpoint of endpoints ?? []) {
    const reads = open.get(endpoint.id);
    if (reads === undefined) continue;
    const isThere = hasConverged(endpoint, desired);
    if ((isThere && reads === 1) || isForeign(endpoint, planned.get(endpoint.id), desired)) {
      open.delete(endpoint.id);
    } else {
      open.set(endpoint.id, isThere ? 1 : 0);
    }
  }
}

/** Before the first roll of a wave, the wave before has baked, and converged before and after. */
function wavesWaitForTheirGate({ calls, record }: Trace): string[] {
  const plan = record?.plan;
  if (!plan) return [];
  const { desiredVersion, policy } = record.request;
  return plan.waves.slice(1).flatMap((wave, index) => {
    const idsOf = ({ from, to }: typeof wave) =>
      new Set(plan.endpoints.slice(from, to).map(({ endpointId }) => endpointId));
    const ids = idsOf(wave);
    const before = idsOf(plan.waves[index] ?? wave);
    const first = calls.findIndex((call) => call.operation === 'roll' && ids.has(call.endpointId));
    const firstCall = calls[first];
    if (firstCall === undefined) return [];
    const reads = calls
      .slice(0, first)
      .filter(isList)
      .filter(({ endpoints }) => endpoints !== null);
    const holds = (read: ListCall) => allConverged(read, before, desiredVersion);
    const bakedSince = firstCall.at - policy.bakeSeconds * 1000;
    const isProven = reads.some((read) => read.at <= bakedSince && holds(read));
    const last = reads.at(-1);
    return isProven && last !== undefined && holds(last)
      ? []
      : [`wave ${index + 2} began before wave ${index + 1} had converged and baked`];
  });
}

function closesOnce({ calls, record, outcome, states }: Trace): string[] {
  const isSuccess = outcome.outcome === 'Succeeded';
  const lastState = states.at(-1);
  return [
    ...(isSuccess === (lastState === 'Rollout succeeded')
      ? []
      : [`${outcome.outcome}, and the execution ended in ${lastState}`]),
    ...(record === null || isDeepStrictEqual(record.outcome, outcome)
      ? []
      : ['the ledger holds another outcome']),
    ...(record !== null && calls.at(-1)?.operation !== 'close'
      ? ['it went on after its close']
      : []),
  ];
}

/** The last two complete reads show every endpoint of the plan live on the desired version. */
function successIsProven({ calls, record, outcome }: Trace): string[] {
  const plan = record?.plan;
  if (!plan || outcome.outcome !== 'Succeeded') return [];
  const ids = new Set(plan.endpoints.map(({ endpointId }) => endpointId));
  const reads = calls.filter(isList).filter(({ endpoints }) => endpoints !== null);
  const isProven = reads
    .slice(-2)
    .every((read) => allConverged(read, ids, record.request.desiredVersion));
  return isProven ? [] : ['the last two reads do not show it'];
}

function supersededIsLeft({ calls, record }: Trace): string[] {
  if (!record?.plan) return [];
  const planned = byId(record.plan);
  const { desiredVersion } = record.request;
  const lost = new Set<string>();
  return calls.flatMap((call) => {
    if (isList(call)) {
      for (const endpoint of call.endpoints ?? []) {
        if (isForeign(endpoint, planned.get(endpoint.id), desiredVersion)) lost.add(endpoint.id);
      }
    }
    return isWrite(call) && lost.has(call.endpointId)
      ? [`${call.operation} of ${call.endpointId} after somebody else had moved it`]
      : [];
  });
}

const MAX_ROLLS = 2;
const MAX_STOPS = 3;
/** Answers which say for certain that nothing was carried out. */
const DEFINITE_NO = new Set([
  'UpstreamConflict',
  'UpstreamNotFound',
  'UpstreamThrottled',
  'UpstreamTransient',
]);

function effortIsBounded({ calls }: Trace): string[] {
  const counts = new Map<string, number>();
  for (const { operation, endpointId, answer = '' } of calls.filter(isWrite)) {
    if (operation === 'roll' && DEFINITE_NO.has(answer)) continue;
    const key = `${operation} of ${endpointId}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].flatMap(([key, count]) =>
    count > (key.startsWith('roll') ? MAX_ROLLS : MAX_STOPS) ? [`${count} times ${key}`] : [],
  );
}

function writesFollowARead({ calls }: Trace): string[] {
  let read: ListCall | undefined;
  return calls.flatMap((call) => {
    if (isList(call)) read = call;
    return isWrite(call) && !read?.endpoints ? [blindly(call)] : [];
  });
}

function blindly({ operation, endpointId }: WriteCall): string {
  return `${operation} of ${endpointId} after a read that failed`;
}

function byId(plan: RolloutPlan): ReadonlyMap<string, PlannedEndpoint> {
  return new Map(plan.endpoints.map((planned) => [planned.endpointId, planned]));
}

function allConverged(
  { endpoints }: ListCall,
  ids: ReadonlySet<string>,
  desiredVersion: number,
): boolean {
  const there = (endpoints ?? []).filter((endpoint) => hasConverged(endpoint, desiredVersion));
  const found = new Set(there.map(({ id }) => id));
  return [...ids].every((id) => found.has(id));
}

function hasConverged({ targetVersion, liveVersion }: Endpoint, desiredVersion: number): boolean {
  return targetVersion === desiredVersion && liveVersion === desiredVersion;
}

function isForeign(
  { targetVersion }: Endpoint,
  planned: PlannedEndpoint | undefined,
  desiredVersion: number,
): boolean {
  if (planned === undefined || targetVersion === null) return false;
  const { previousVersion, previousTarget } = planned;
  return ![desiredVersion, previousVersion, previousTarget].includes(targetVersion);
}
