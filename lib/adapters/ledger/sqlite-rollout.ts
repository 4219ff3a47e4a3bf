import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import {
  decodeRecord,
  encodeRecord,
  journalRecord,
  outcomeRecord,
  parseStored,
  planRecord,
  progressRecord,
  requestRecord,
  rollbackRecord,
  signalRecord,
} from '../../contract/ledger-record.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type {
  Lease,
  Rollback,
  RolloutPlan,
  RolloutRecord,
  RolloutRequest,
  Signal,
} from '../../domain/rollout.ts';
import type { HeldLease } from '../../ports/ledger.ts';
import { heldLeases, isHeld, type StoredLease } from './held-lease.ts';
import type { LeaseOwner } from './lease-owner.ts';
import {
  leaseHeld,
  leaseLost,
  otherRuntime,
  rolloutClosed,
  rolloutNotFound,
} from './ledger-errors.ts';
import { rememberDecoded } from './remember-decoded.ts';

const decodePlans = rememberDecoded(planRecord);
const decodeRollbacks = rememberDecoded(rollbackRecord);
const decodeJournal = rememberDecoded(journalRecord);

// Every function here runs inside the caller's transaction.

export function openRollout(
  database: DatabaseSync,
  owner: LeaseOwner,
  request: RolloutRequest,
  now: number,
  leaseUntil: number,
): Lease {
  const { rolloutId, runtimeId } = request;
  const known = findRollout(database, rolloutId);
  if (known !== null) {
    if (known.runtime_id !== runtimeId) {
      throw otherRuntime(request);
    }
    const lease = { runtimeId, rolloutId, epoch: known.epoch };
    return reopenRollout(database, owner, lease, now, leaseUntil);
  }
  if (isBuried(database, rolloutId)) {
    throw leaseLost(rolloutId);
  }
  const held = findLease(database, runtimeId);
  if (isHeld(held, now) && !owner.isGone(held.owner)) {
    throw leaseHeld(runtimeId, held.rolloutId, held.leaseUntil);
  }
  const lease = { runtimeId, rolloutId, epoch: (held?.epoch ?? 0) + 1 };
  takeLease(database, owner, lease, leaseUntil);
  database
    .prepare(
      'INSERT INTO rollout (rollout_id, runtime_id, epoch, started_at, request) VALUES (?, ?, ?, ?, ?)',
    )
    .run(rolloutId, runtimeId, lease.epoch, now, encodeRecord(request));
  return lease;
}

/**
 * The process that holds the lease gets it again as it is. Another one takes the rollout over once the first
 * is gone, with a new epoch, so that the two never both write. What was planned is outdated once another
 * rollout took over.
 */
function reopenRollout(
  database: DatabaseSync,
  owner: LeaseOwner,
  lease: Lease,
  now: number,
  leaseUntil: number,
): Lease {
  assertLease(database, lease);
  const held = findLease(database, lease.runtimeId);
  if (held === null || held.owner === owner.name) {
    renewLease(database, lease, leaseUntil);
    return lease;
  }
  if (isHeld(held, now) && !owner.isGone(held.owner)) {
    throw leaseHeld(lease.runtimeId, lease.rolloutId, held.leaseUntil);
  }
  const next = { ...lease, epoch: lease.epoch + 1 };
  takeLease(database, owner, next, leaseUntil);
  database
    .prepare('UPDATE rollout SET epoch = ? WHERE rollout_id = ?')
    .run(next.epoch, next.rolloutId);
  return next;
}

function takeLease(
  database: DatabaseSync,
  owner: LeaseOwner,
  { runtimeId, rolloutId, epoch }: Lease,
  leaseUntil: number,
): void {
  database
    .prepare(
      `INSERT INTO lease (runtime_id, rollout_id, epoch, lease_until, owner) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (runtime_id) DO UPDATE SET
         rollout_id = excluded.rollout_id, epoch = excluded.epoch,
         lease_until = excluded.lease_until, owner = excluded.owner`,
    )
    .run(runtimeId, rolloutId, epoch, leaseUntil, owner.name);
}

/** Throws `LeaseLost`. A closed rollout has given its lease back, so this covers it too. */
export function assertLease(database: DatabaseSync, lease: Lease): void {
  const row = database
    .prepare('SELECT 1 FROM lease WHERE runtime_id = ? AND rollout_id = ? AND epoch = ?')
    .get(lease.runtimeId, lease.rolloutId, lease.epoch);
  if (row === undefined) {
    throw leaseLost(lease.rolloutId);
  }
}

export function renewLease(database: DatabaseSync, lease: Lease, leaseUntil: number): void {
  assertLease(database, lease);
  database
    .prepare('UPDATE lease SET lease_until = max(lease_until, ?) WHERE runtime_id = ?')
    .run(leaseUntil, lease.runtimeId);
}

export function freezePlan(database: DatabaseSync, lease: Lease, plan: RolloutPlan): RolloutPlan {
  assertLease(database, lease);
  const frozen = findRollout(database, lease.rolloutId)?.plan;
  if (typeof frozen === 'string') {
    return decodeRecord(planRecord, frozen);
  }
  database
    .prepare('UPDATE rollout SET plan = ? WHERE rollout_id = ?')
    .run(encodeRecord(plan), lease.rolloutId);
  return plan;
}

export function freezeRollback(database: DatabaseSync, lease: Lease, rollback: Rollback): Rollback {
  assertLease(database, lease);
  const frozen = findRollout(database, lease.rolloutId)?.rollback;
  if (typeof frozen === 'string') {
    return decodeRecord(rollbackRecord, frozen);
  }
  database
    .prepare('UPDATE rollout SET rollback = ? WHERE rollout_id = ?')
    .run(encodeRecord(rollback), lease.rolloutId);
  return rollback;
}

export function addSignal(database: DatabaseSync, rolloutId: string, signal: Signal): void {
  const row = findRollout(database, rolloutId);
  if (row === null) {
    throw rolloutNotFound(rolloutId);
  }
  if (row.outcome !== null) {
    throw rolloutClosed(rolloutId);
  }
  database
    .prepare('INSERT INTO signal (rollout_id, signal) VALUES (?, ?)')
    .run(rolloutId, encodeRecord(signal));
}

export function readRollout(database: DatabaseSync, rolloutId: string): RolloutRecord {
  const row = findRollout(database, rolloutId);
  if (row === null) {
    throw rolloutNotFound(rolloutId);
  }
  const journal = parseStored(
    journalRows,
    database
      .prepare('SELECT entries FROM journal WHERE rollout_id = ? ORDER BY seq')
      .all(rolloutId),
  );
  const signals = parseStored(
    signalRows,
    database.prepare('SELECT signal FROM signal WHERE rollout_id = ? ORDER BY seq').all(rolloutId),
  );
  const [plan = null] = decodePlans(row.plan === null ? [] : [row.plan]);
  const [rollback = null] = decodeRollbacks(row.rollback === null ? [] : [row.rollback]);
  return {
    request: decodeRecord(requestRecord, row.request),
    epoch: row.epoch,
    startedAt: row.started_at,
    plan,
    rollback,
    progress: row.progress === null ? null : decodeRecord(progressRecord, row.progress),
    journal: decodeJournal(journal.map(({ entries }) => entries)).flat(),
    signals: signals.map(({ signal }) => decodeRecord(signalRecord, signal)),
    outcome: row.outcome === null ? null : decodeRecord(outcomeRecord, row.outcome),
    endedAt: row.ended_at,
  };
}

export function closeRollout(
  database: DatabaseSync,
  rolloutId: string,
  outcome: Outcome,
  now: number,
): Outcome {
  const row = findRollout(database, rolloutId);
  if (row === null) {
    throw rolloutNotFound(rolloutId);
  }
  if (row.outcome !== null) {
    return decodeRecord(outcomeRecord, row.outcome);
  }
  database
    .prepare('UPDATE rollout SET outcome = ?, ended_at = ? WHERE rollout_id = ?')
    .run(encodeRecord(outcome), now, rolloutId);
  database
    .prepare('UPDATE lease SET rollout_id = NULL WHERE runtime_id = ? AND rollout_id = ?')
    .run(row.runtime_id, rolloutId);
  return outcome;
}

export function listHeld(database: DatabaseSync): readonly HeldLease[] {
  const rows = database
    .prepare(
      `SELECT runtime_id AS runtimeId, rollout_id AS rolloutId, epoch, lease_until AS leaseUntil
       FROM lease WHERE rollout_id IS NOT NULL`,
    )
    .all();
  return parseStored(heldLeases, rows);
}

/** An open is one transaction, so there is never half of one to clean up. */
export function buryRollout(database: DatabaseSync, rolloutId: string): void {
  database.prepare('INSERT OR IGNORE INTO buried (rollout_id) VALUES (?)').run(rolloutId);
}

function isBuried(database: DatabaseSync, rolloutId: string): boolean {
  return database.prepare('SELECT 1 FROM buried WHERE rollout_id = ?').get(rolloutId) !== undefined;
}

const rolloutRow = z.object({
  runtime_id: z.string(),
  epoch: z.number(),
  started_at: z.number(),
  request: z.string(),
  plan: z.string().nullable(),
  rollback: z.string().nullable(),
  progress: z.string().nullable(),
  outcome: z.string().nullable(),
  ended_at: z.number().nullable(),
});

const leaseRow = z.object({
  rollout_id: z.string().nullable(),
  epoch: z.number(),
  lease_until: z.number(),
  owner: z.string(),
});

const journalRows = z.array(z.object({ entries: z.string() }));
const signalRows = z.array(z.object({ signal: z.string() }));

function findRollout(database: DatabaseSync, rolloutId: string): z.infer<typeof rolloutRow> | null {
  const row = database.prepare('SELECT * FROM rollout WHERE rollout_id = ?').get(rolloutId);
  return row === undefined ? null : parseStored(rolloutRow, row);
}

interface OwnedLease extends StoredLease {
  readonly owner: string;
}

function findLease(database: DatabaseSync, runtimeId: string): OwnedLease | null {
  const row = database.prepare('SELECT * FROM lease WHERE runtime_id = ?').get(runtimeId);
  if (row === undefined) {
    return null;
  }
  const { rollout_id: rolloutId, epoch, lease_until, owner } = parseStored(leaseRow, row);
  return { rolloutId, epoch, leaseUntil: lease_until, owner };
}
