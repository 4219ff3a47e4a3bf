import {
  type Endpoint,
  isFailed,
  isStopped,
  type PlannedEndpoint,
  type StatusWords,
  targetOf,
} from '../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry } from '../../lib/domain/endpoint/journal.ts';
import type { RolloutRecord } from '../../lib/domain/rollout/record.ts';
import {
  type Call,
  isList,
  isWrite,
  type ListCall,
  type WriteCall,
} from '../../lib/rehearsal/calls.ts';
import type { Trace } from './invariants.ts';
import { byId, isForeign, isRollBack, MAX_ROLLS, REFUSED, wayOf } from './read-evidence.ts';

/**
 * Rolled, not refused, and not yet seen to have come to rest: converged or failed in two complete reads in
 * a row, gone in three, or somebody else's. On the way back, what a read showed to be broken or in mid-roll takes
 * nobody's place when it is sent: a healthy one goes only where there is room beside all of them.
 */
export function midRollStaysBounded(trace: Trace): string[] {
  return [...followBothWays(trace).violations];
}

/** How it has gone so far: what the future can still violate depends on `open` alone. */
export function followBothWays(trace: Followable): Followed {
  const known = followed.get(trace.calls);
  if (known !== undefined && known.record === trace.record) return known.result;
  const result = followAnew(trace);
  followed.set(trace.calls, { record: trace.record, result });
  return result;
}

/** Whoever walks through all rollouts asks this many times about the same calls. */
const followed = new WeakMap<
  readonly Call[],
  Pick<Trace, 'record'> & { readonly result: Followed }
>();

function followAnew({ calls, record, turnedAt, isClockWrong }: Followable): Followed {
  if (!record?.plan) return { open: [], violations: [] };
  const registeringMs = isClockWrong ? 0 : REGISTERING_MS;
  const isTurn = (call: Call) => isWrite(call) && isRollBack(call, record, turnedAt);
  const turn = calls.findIndex(isTurn);
  const there = followWay(turn === -1 ? calls : calls.slice(0, turn), record, registeringMs);
  if (turn === -1) return { open: [there.open], violations: there.violations };
  const goesBack = wayOf(record, true);
  const left = new Map([...there.open].filter(([id]) => goesBack.has(id)));
  const shown = calls.slice(0, turn).findLast(isReadList);
  const back = followWay(calls.slice(turn), record, registeringMs, { left, shown });
  return { open: [back.open, left], violations: [...there.violations, ...back.violations] };
}

type Followable = Pick<Trace, 'calls' | 'record' | 'turnedAt' | 'isClockWrong'>;

interface Followed {
  /** What is not at rest; on the way back also what was not when that began, and was not sent back yet. */
  readonly open: readonly ReadonlyMap<string, Rest>[];
  readonly violations: readonly string[];
}

/** Where the way back begins. */
interface Turn {
  /** Sent on the way forward, not at rest, and not sent back yet. */
  readonly left: Map<string, Rest>;
  /** The last read before. */
  readonly shown: ReadList | undefined;
}

/** @param registeringMs For how long a target may not show although the roll was carried out. */
function followWay(
  calls: readonly Call[],
  record: RolloutRecord,
  registeringMs: number,
  back?: Turn,
) {
  const open = new Map<string, Rest>();
  const there = wayOf(record, false);
  const planned = back ? wayOf(record, true) : there;
  const left = back?.left ?? new Map<string, Rest>();
  const { maxUnavailable = 0 } = record.plan ?? {};
  let shown = back?.shown;
  const countOf = (call: WriteCall): number => {
    const before = shown && byId(shown.endpoints).get(call.endpointId);
    if (back && isBroken(before, record)) return 0;
    left.delete(call.endpointId);
    noteRoll(open, call);
    // What somebody left in mid-roll is unavailable already, and to roll it on makes nothing else so.
    const isAtRest = !before || targetOf(before) === before.liveVersion;
    return open.size + (isAtRest ? begunBy(call.at, left, registeringMs) : 0);
  };
  const violations = calls.flatMap((call) => {
    if (isReadList(call)) {
      shown = call;
      settle(open, call, record, {
        planned,
        registeringMs,
        operation: back ? 'roll-back' : 'roll',
      });
      settle(left, call, record, { planned: there, registeringMs, operation: 'roll' });
    }
    if (call.operation === 'stop') open.delete(call.endpointId);
    const count = isWrite(call) && call.operation === 'roll' ? countOf(call) : 0;
    return count > maxUnavailable
      ? [`${count} in mid-roll at ${call.at}, allowed are ${maxUnavailable}`]
      : [];
  });
  return { open, violations };
}

function isBroken(endpoint: Endpoint | undefined, { request }: RolloutRecord): boolean {
  return endpoint !== undefined && isFailed(endpoint, request.policy.statuses);
}

/** A roll forward whose target does not show a minute later has never begun. */
function begunBy(now: number, left: ReadonlyMap<string, Rest>, registeringMs: number): number {
  const mayHaveBegun = ({ hadTarget, rolledAt }: Rest) =>
    hadTarget || now - rolledAt < registeringMs;
  return [...left.values()].filter(mayHaveBegun).length;
}

type ReadList = ListCall & { readonly endpoints: readonly Endpoint[] };

function isReadList(call: Call): call is ReadList {
  return isList(call) && call.endpoints !== null;
}

function noteRoll(open: Map<string, Rest>, { endpointId, at, answer = '' }: WriteCall): void {
  const before = open.get(endpointId);
  if (before === undefined && REFUSED.has(answer)) return;
  const { rolls, hadTarget } = before ?? { rolls: 0, hadTarget: false };
  const anew = { state: 'moving', reads: 1, since: at } as const;
  open.set(endpointId, { rolls: rolls + 1, rolledAt: at, hadTarget, ...anew });
}

/** What the reads since its first roll say of an endpoint, and how many in a row. */
export interface Rest {
  readonly rolls: number;
  readonly rolledAt: number;
  readonly hadTarget: boolean;
  readonly state: 'moving' | 'converged' | 'failed' | 'missing' | 'reverted';
  readonly reads: number;
  /** The first of them. */
  readonly since: number;
}

/** An endpoint is not gone before, and so it is not at rest. It is half a minute, less what calls take. */
const GONE_MS = 25_000;

/**
 * After the last roll that it is granted: a target that does not show by then never will. When the clock is wrong, the
 * reads alone decide.
 */
const REGISTERING_MS = 60_000;

/** Reads in a row that prove that it has come to rest. */
const RESTING_READS: Readonly<Record<Rest['state'], number>> = {
  moving: Number.POSITIVE_INFINITY,
  converged: 2,
  failed: 2,
  missing: 3,
  reverted: 2,
};

interface Way {
  readonly operation: 'roll' | 'roll-back';
  readonly planned: ReadonlyMap<string, PlannedEndpoint>;
  readonly registeringMs: number;
}

function settle(
  open: Map<string, Rest>,
  { endpoints, at }: ReadList,
  record: RolloutRecord,
  { operation, planned, registeringMs }: Way,
): void {
  const { statuses } = record.request.policy;
  const intended = intendedRolls(record.journal, operation);
  const seen = byId(endpoints);
  for (const [id, before] of open) {
    const endpoint = seen.get(id);
    const isTaken = endpoint !== undefined && isForeign(endpoint, planned.get(id));
    const isThere =
      endpoint !== undefined && targetOf(endpoint) === planned.get(id)?.desiredVersion;
    // A roll that the journal has, and that was never sent because its process died, counts as one that was lost.
    const rolls = Math.max(before.rolls, intended.get(id) ?? 0);
    const isLate = rolls >= MAX_ROLLS && at - before.rolledAt >= registeringMs;
    const state = stateOf(endpoint, isThere, isLate, before, statuses);
    const reads = before.state === state ? before.reads + 1 : 1;
    const since = before.state === state ? before.since : at;
    const rest = { ...before, state, reads, since, hadTarget: before.hadTarget || isThere };
    if (isTaken || isAtRest(rest, at, registeringMs)) open.delete(id);
    else open.set(id, rest);
  }
}

function isAtRest({ state, reads, since }: Rest, at: number, registeringMs: number): boolean {
  const isTooEarly = state === 'missing' && registeringMs > 0 && at - since < GONE_MS;
  return reads >= RESTING_READS[state] && !isTooEarly;
}

/** How many rolls of each endpoint that way the journal has, whatever became of them. */
function intendedRolls(
  journal: readonly JournalEntry[],
  way: Way['operation'],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { operation, result, endpointId } of journal) {
    if (operation !== way || result !== 'intended') continue;
    counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
  }
  return counts;
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
  return endpoint.liveVersion === targetOf(endpoint) ? 'converged' : 'moving';
}
