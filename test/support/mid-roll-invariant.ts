import type { Endpoint } from '../../lib/domain/endpoint.ts';
import type { StatusWords } from '../../lib/domain/policy.ts';
import type { RolloutRecord } from '../../lib/domain/rollout.ts';
import { isFailed, isStopped } from '../../lib/domain/status.ts';
import { isList, isWrite, type ListCall, type WriteCall } from './call-log.ts';
import type { Trace } from './invariants.ts';
import { isForeign, isRollBack, MAX_ROLLS, REFUSED, wayOf } from './read-evidence.ts';

/**
 * Rolled, not refused, and not yet seen to have come to rest: converged or failed in two complete reads in
 * a row, gone in three, or somebody else's. What was broken when a rollback began does not count on the
 * way back: it is unavailable already.
 */
export function midRollStaysBounded({ calls, record }: Trace): string[] {
  const plan = record?.plan;
  if (!plan) return [];
  const free = new Set(
    record.rollback?.plan.endpoints.flatMap(({ endpointId, isBroken }) =>
      isBroken ? [endpointId] : [],
    ),
  );
  const turn = calls.findIndex((call) => isWrite(call) && isRollBack(call, record));
  let open = new Map<string, Rest>();
  return calls.flatMap((call, index) => {
    if (index === turn) open = new Map();
    const isBack = turn !== -1 && index >= turn;
    if (isList(call)) settle(open, call, record, isBack);
    if (call.operation === 'stop') open.delete(call.endpointId);
    if (call.operation !== 'roll' || (isBack && free.has(call.endpointId))) return [];
    noteRoll(open, call);
    return open.size > plan.maxUnavailable
      ? [`${open.size} in mid-roll at ${call.at}, allowed are ${plan.maxUnavailable}`]
      : [];
  });
}

function noteRoll(open: Map<string, Rest>, { endpointId, at, answer = '' }: WriteCall): void {
  const before = open.get(endpointId);
  if (before === undefined && REFUSED.has(answer)) return;
  const { rolls, hadTarget } = before ?? { rolls: 0, hadTarget: false };
  open.set(endpointId, { rolls: rolls + 1, rolledAt: at, hadTarget, state: 'moving', reads: 1 });
}

/** What the reads since its first roll say of an endpoint, and how many in a row. */
interface Rest {
  readonly rolls: number;
  readonly rolledAt: number;
  readonly hadTarget: boolean;
  readonly state: 'moving' | 'converged' | 'failed' | 'missing' | 'reverted';
  readonly reads: number;
}

/** After the last roll that it is granted: a target that does not show by then never will. */
const REGISTERING_MS = 60_000;

/** Reads in a row that prove that it has come to rest. */
const RESTING_READS: Readonly<Record<Rest['state'], number>> = {
  moving: Number.POSITIVE_INFINITY,
  converged: 2,
  failed: 2,
  missing: 3,
  reverted: 2,
};

function settle(
  open: Map<string, Rest>,
  { endpoints, at }: ListCall,
  record: RolloutRecord,
  isBack: boolean,
): void {
  if (endpoints === null) return;
  const planned = wayOf(record, isBack);
  const { statuses } = record.request.policy;
  const seen = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  for (const [id, before] of open) {
    const endpoint = seen.get(id);
    const isTaken = endpoint !== undefined && isForeign(endpoint, planned.get(id));
    const isThere = endpoint?.targetVersion === planned.get(id)?.desiredVersion;
    const isLate = before.rolls >= MAX_ROLLS && at - before.rolledAt >= REGISTERING_MS;
    const state = stateOf(endpoint, isThere, isLate, before, statuses);
    const reads = before.state === state ? before.reads + 1 : 1;
    if (isTaken || reads >= RESTING_READS[state]) open.delete(id);
    else open.set(id, { ...before, state, reads, hadTarget: before.hadTarget || isThere });
  }
}

function stateOf(
  endpoint: Endpoint | undefined,
  isThere: boolean,
  isLate: boolean,
  { hadTarget }: Rest,
  statuses: StatusWords,
): Rest['state'] {
  if (endpoint === undefined) return 'missing';
  if (isFailed(endpoint, statuses) || isStopped(endpoint, statuses)) return 'failed';
  if (!isThere && hadTarget) return 'reverted';
  if (!isThere) return isLate ? 'failed' : 'moving';
  return endpoint.liveVersion === endpoint.targetVersion ? 'converged' : 'moving';
}
