import { concludeTakenOver } from '../../../domain/ending/abandoned.ts';
import { eventIdOf } from '../../../domain/rollout/event.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { Outcome } from '../../../domain/rollout/outcome.ts';
import { type AskedRollout, wasOpened } from '../../../domain/rollout/record.ts';
import type { RolloutRequest } from '../../../domain/rollout/request.ts';
import { type LatestRequest, replacesLatest } from '../../../domain/turn/queue.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import { isHeld, type StoredLease } from '../held-lease.ts';
import {
  leaseHeld,
  leaseLost,
  otherRuntime,
  refuseTakeOver,
  rolloutClosed,
  rolloutNotFound,
} from '../ledger-errors.ts';
import { toSummary } from '../rollout-summary.ts';

/**
 * A ledger for rehearsals, which forgets everything with its process. It keeps what it is given as it is, without a
 * copy and without a check of its schema, because nothing outside of the process writes to it. So it is many times
 * faster than the other ledgers, and the records that it answers must not be changed.
 *
 * @param memory What it knows already. It is changed by the ledger.
 */
export function createMemoryLedger(memory: LedgerMemory = emptyMemory()): Ledger {
  const { rollouts, leases, latest, buried } = memory;

  const find = (rolloutId: string): AskedRollout => {
    const known = rollouts.get(rolloutId);
    if (known === undefined) throw rolloutNotFound(rolloutId);
    return known;
  };
  const change = (rolloutId: string, changes: Partial<AskedRollout>) =>
    rollouts.set(rolloutId, { ...find(rolloutId), ...changes });

  const assertLease = ({ runtimeId, rolloutId, epoch }: Lease): StoredLease => {
    const held = leases.get(runtimeId);
    if (held?.rolloutId !== rolloutId || held.epoch !== epoch) throw leaseLost(rolloutId);
    return held;
  };
  const renew = (lease: Lease, leaseUntil: number) => {
    const held = assertLease(lease);
    leases.set(lease.runtimeId, { ...held, leaseUntil: Math.max(held.leaseUntil, leaseUntil) });
  };

  const open = (request: RolloutRequest, now: number, leaseUntil: number): Lease => {
    const { rolloutId, runtimeId } = request;
    const known = rollouts.get(rolloutId) ?? askedRollout(request, now);
    if (known.request.runtimeId !== runtimeId) throw otherRuntime(request);
    if (known.outcome !== null || buried.has(rolloutId)) throw leaseLost(rolloutId);
    if (wasOpened(known)) {
      const lease = { runtimeId, rolloutId, epoch: known.epoch };
      renew(lease, leaseUntil);
      return lease;
    }
    const held = leases.get(runtimeId) ?? null;
    vacate(held, request, now);
    const epoch = (held?.epoch ?? 0) + 1;
    leases.set(runtimeId, { rolloutId, epoch, leaseUntil });
    rollouts.set(rolloutId, { ...known, request, epoch, startedAt: now, waiting: null });
    return { runtimeId, rolloutId, epoch };
  };

  /** Closes the rollout that let its lease run out, if there is one. */
  const vacate = (held: StoredLease | null, by: RolloutRequest, now: number) => {
    const holder = rollouts.get(held?.rolloutId ?? '');
    if (holder?.outcome === null) refuseTakeOver(holder.request, by);
    if (isHeld(held, now)) throw leaseHeld(by.runtimeId, held.rolloutId, held.leaseUntil);
    if (holder?.outcome !== null) return;
    close(holder.request.rolloutId, concludeTakenOver(holder, by.rolloutId), now);
  };

  const close = (
    rolloutId: string,
    outcome: Outcome,
    now: number,
    signalsRead?: number,
  ): Outcome | null => {
    const { request, outcome: stored, signals, unsent } = find(rolloutId);
    if (stored !== null) return stored;
    if (signalsRead !== undefined && signals.length > signalsRead) return null;
    const end = eventIdOf(rolloutId, 'ended');
    change(rolloutId, { outcome, endedAt: now, waiting: null, unsent: [...unsent, end] });
    const held = leases.get(request.runtimeId);
    if (held?.rolloutId === rolloutId) leases.set(request.runtimeId, { ...held, rolloutId: null });
    return outcome;
  };

  return {
    enlist: async (request, waiting, now) => {
      if (rollouts.has(request.rolloutId)) return false;
      rollouts.set(request.rolloutId, { ...askedRollout(request, now), waiting });
      return true;
    },
    saveWaiting: async (request, waiting) => {
      const { rolloutId } = request;
      if (find(rolloutId).outcome !== null) throw rolloutClosed(rolloutId);
      change(rolloutId, { request, waiting });
    },
    listWaiting: async () =>
      [...rollouts].flatMap(([rolloutId, { epoch, outcome }]) =>
        epoch === 0 && outcome === null ? [rolloutId] : [],
      ),
    withdraw: async (rolloutId, outcome, now) => {
      const { epoch, outcome: stored } = find(rolloutId);
      return epoch > 0 && stored === null ? null : close(rolloutId, outcome, now);
    },
    open: async (request, now, leaseUntil) => open(request, now, leaseUntil),
    renew: async (lease, leaseUntil) => renew(lease, leaseUntil),
    freezePlan: async (lease, plan) => {
      assertLease(lease);
      const frozen = find(lease.rolloutId).plan;
      if (frozen === null) change(lease.rolloutId, { plan });
      return frozen ?? plan;
    },
    freezeRollback: async (lease, rollback) => {
      assertLease(lease);
      const frozen = find(lease.rolloutId).rollback;
      if (frozen === null) change(lease.rolloutId, { rollback });
      return frozen ?? rollback;
    },
    append: async (lease, entries) => {
      assertLease(lease);
      const { journal } = find(lease.rolloutId);
      change(lease.rolloutId, { journal: [...journal, ...entries] });
    },
    saveProgress: async (lease, progress) => {
      assertLease(lease);
      change(lease.rolloutId, { progress });
    },
    signal: async (rolloutId, signal) => {
      const { outcome, signals } = find(rolloutId);
      if (outcome !== null) throw rolloutClosed(rolloutId);
      change(rolloutId, { signals: [...signals, signal] });
    },
    readSignals: async (rolloutId) => rollouts.get(rolloutId)?.signals ?? [],
    recordEvent: async (lease, event) => {
      assertLease(lease);
      const { events, unsent } = find(lease.rolloutId);
      if (events.some(({ eventId }) => eventId === event.eventId)) return;
      change(lease.rolloutId, {
        events: [...events, event].toSorted((one, other) => (one.eventId < other.eventId ? -1 : 1)),
        unsent: [...unsent, event.eventId].toSorted(),
      });
    },
    markSent: async (rolloutId, eventIds) => {
      const known = rollouts.get(rolloutId);
      if (known === undefined) return;
      change(rolloutId, { unsent: known.unsent.filter((eventId) => !eventIds.includes(eventId)) });
    },
    listUnsent: async () =>
      [...rollouts].flatMap(([rolloutId, { unsent }]) => (unsent.length > 0 ? [rolloutId] : [])),
    recordLatestRequest: async (request, now) => {
      const newest = latest.get(keyOf(request));
      if (newest !== undefined && !replacesLatest(request, newest, now)) return;
      latest.set(keyOf(request), request);
    },
    findLatestRequest: async (of) => latest.get(keyOf(of)) ?? null,
    list: async ({ runtimeId, limit }) =>
      [...rollouts.values()]
        .filter(({ request }) => runtimeId === undefined || request.runtimeId === runtimeId)
        .toSorted(
          (one, other) =>
            other.startedAt - one.startedAt ||
            (one.request.rolloutId < other.request.rolloutId ? -1 : 1),
        )
        .slice(0, limit)
        .map((rollout) => toSummary(rollout, rollout)),
    read: async (rolloutId) => find(rolloutId),
    readSummary: async (rolloutId) => {
      const rollout = rollouts.get(rolloutId);
      return rollout === undefined ? null : toSummary(rollout, rollout);
    },
    close: async (rolloutId, outcome, now, signalsRead) =>
      close(rolloutId, outcome, now, signalsRead),
    listHeld: async () =>
      [...leases].flatMap(([runtimeId, { rolloutId, epoch, leaseUntil }]) =>
        rolloutId === null ? [] : [{ runtimeId, rolloutId, epoch, leaseUntil }],
      ),
    bury: async (rolloutId) => {
      if (!rollouts.has(rolloutId)) buried.add(rolloutId);
    },
  };
}

/** All that a ledger in memory knows. Values are replaced and never changed, so a copy of its maps is a copy of it. */
export interface LedgerMemory {
  readonly rollouts: Map<string, AskedRollout>;
  readonly leases: Map<string, StoredLease>;
  readonly latest: Map<string, LatestRequest>;
  readonly buried: Set<string>;
}

export function emptyMemory(): LedgerMemory {
  return { rollouts: new Map(), leases: new Map(), latest: new Map(), buried: new Set() };
}

function askedRollout(request: AskedRollout['request'], now: number): AskedRollout {
  return {
    request,
    epoch: 0,
    startedAt: now,
    waiting: null,
    plan: null,
    rollback: null,
    progress: null,
    journal: [],
    signals: [],
    events: [],
    unsent: [],
    outcome: null,
    endedAt: null,
  };
}

function keyOf({ runtimeId, endpointUrl }: Pick<LatestRequest, 'runtimeId' | 'endpointUrl'>) {
  return JSON.stringify([runtimeId, endpointUrl]);
}
