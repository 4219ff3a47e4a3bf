import { LEASE_MARGIN_MS, LEASE_TOLERANCE_MS } from '../../lib/domain/rollout/lease.ts';
import type { RolloutSummary } from '../../lib/domain/rollout/record.ts';
import { type Call, isWrite } from '../../lib/rehearsal/calls.ts';
import { violations } from './invariants.ts';
import type { Promises } from './promise.ts';

/** What the ledger was asked about the lease of the runtime, in order. Times are those that it was told. */
export interface LeaseCall {
  readonly rolloutId: string;
  readonly operation: 'open' | 'renew' | 'close';
  readonly at: number;
  /** Until when it was granted; `null` when it was given back, or refused because another one holds it. */
  readonly until: number | null;
}

/** What all rollouts of a runtime have done together. */
export interface RuntimeTrace {
  readonly calls: readonly Call[];
  readonly leases: readonly LeaseCall[];
  /** What the ledger lists when everybody is done. */
  readonly rollouts: readonly Pick<RolloutSummary, 'rolloutId' | 'outcome'>[];
  /** For how many milliseconds a clock was ahead at most: a lease that was granted then lasts longer by as much. */
  readonly aheadMs: number;
}

/** What must hold between the rollouts of one runtime. */
export const RUNTIME_INVARIANTS: Promises<(trace: RuntimeTrace) => string[]> = {
  'newest-writer-wins': {
    says: 'The lease has an epoch that only grows: the ledger refuses a rollout with an older epoch before it writes.',
    page: 'docs/explanation/leases.md#the-lease',
    check: newestWriterWins,
  },
  'lease-comes-free': {
    says: 'A lease runs out a few minutes after the next step of its rollout was due.',
    page: 'docs/explanation/leases.md#the-lease',
    check: leaseComesFree,
  },
  'closed-rollout-is-over': {
    says: 'A rollout that has ended writes nothing any more, even if it is started once more.',
    page: 'docs/explanation/life-of-a-rollout.md#how-it-ends',
    check: closedRolloutIsOver,
  },
  'nothing-is-left-open': {
    says: 'Every record ends with one outcome and its event, refusals included.',
    page: 'contributing/decisions/015-a-yes-is-a-record.md',
    check: nothingIsLeftOpen,
  },
};

export function runtimeViolationsOf(trace: RuntimeTrace): string[] {
  return violations(RUNTIME_INVARIANTS, trace);
}

/** Once a rollout has written that took the lease later, none that had it before writes any more. */
function newestWriterWins({ calls, leases }: RuntimeTrace): string[] {
  const order = new Map<string, number>();
  leases.forEach(({ operation, rolloutId, until }, index) => {
    if (operation === 'open' && until !== null) order.set(rolloutId, index);
  });
  let newest = -1;
  return calls.filter(isWrite).flatMap(({ rolloutId, operation, endpointId }) => {
    const rank = order.get(rolloutId);
    if (rank === undefined) return [`${rolloutId} never had the lease: ${operation} ${endpointId}`];
    newest = Math.max(newest, rank);
    return rank < newest ? [`${rolloutId} was overtaken: ${operation} ${endpointId}`] : [];
  });
}

/** No step takes longer, with the wait after it: by then a rollout that was killed frees its runtime. */
const LONGEST_LEASE_MS = LEASE_MARGIN_MS + 3_600_000;

interface Holder {
  readonly rolloutId: string;
  readonly until: number;
  /** When it was granted last. */
  readonly at: number;
}

function leaseComesFree({ leases, aheadMs }: RuntimeTrace): string[] {
  let holder: Holder | null = null;
  return leases.flatMap(({ rolloutId, operation, at, until }) => {
    const before: Holder | null = holder;
    const isOwn = before?.rolloutId === rolloutId;
    if (operation === 'close') {
      if (isOwn) holder = null;
    } else if (until !== null) {
      const last = isOwn ? before : { until: 0, at: 0 };
      // A clock that is behind for a while takes nothing back.
      holder = { rolloutId, until: Math.max(until, last.until), at: Math.max(at, last.at) };
    } else if (before === null || at >= before.until + LEASE_TOLERANCE_MS) {
      return [`${rolloutId} was refused, and the lease is free`];
    } else if (at - before.at > LONGEST_LEASE_MS + aheadMs) {
      return [`${before.rolloutId} was not heard of for ${at - before.at} ms, and holds the lease`];
    }
    return [];
  });
}

/** Started once more after its end, it writes nothing. */
function closedRolloutIsOver({ calls }: RuntimeTrace): string[] {
  const closed = new Set<string>();
  return calls.flatMap((call) => {
    if (call.operation === 'close') closed.add(call.rolloutId);
    return isWrite(call) && closed.has(call.rolloutId)
      ? [`${call.rolloutId} was closed: ${call.operation} ${call.endpointId}`]
      : [];
  });
}

/** Whatever became of its process. */
function nothingIsLeftOpen({ rollouts }: RuntimeTrace): string[] {
  return rollouts.flatMap(({ rolloutId, outcome }) =>
    outcome === null ? [`${rolloutId} is under way for ever`] : [],
  );
}
