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
} from '../../contract/ledger-record.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Lease, RolloutPlan, RolloutRecord, RolloutRequest } from '../../domain/rollout.ts';
import { type HeldLease, isHeld } from './held-lease.ts';
import { leaseHeld, leaseLost, otherRuntime, rolloutNotFound } from './ledger-errors.ts';

// Every function here runs inside the caller's transaction.

export function openRollout(
  database: DatabaseSync,
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
    // A rollout has one epoch in its life: what it planned is outdated once another one took over.
    const lease = { runtimeId, rolloutId, epoch: known.epoch };
    renewLease(database, lease, leaseUntil);
    return lease;
  }
  const held = findLease(database, runtimeId);
  if (isHeld(held, now)) {
    throw leaseHeld(runtimeId, held.rolloutId);
  }
  const lease = { runtimeId, rolloutId, epoch: (held?.epoch ?? 0) + 1 };
  database
    .prepare(
      `INSERT INTO lease (runtime_id, rollout_id, epoch, lease_until) VALUES (?, ?, ?, ?)
       ON CONFLICT (runtime_id) DO UPDATE SET
         rollout_id = excluded.rollout_id, epoch = excluded.epoch, lease_until = excluded.lease_until`,
    )
    .run(runtimeId, rolloutId, lease.epoch, leaseUntil);
  database
    .prepare(
      'INSERT INTO rollout (rollout_id, runtime_id, epoch, started_at, request) VALUES (?, ?, ?, ?, ?)',
    )
    .run(rolloutId, runtimeId, lease.epoch, now, encodeRecord(request));
  return lease;
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
    .prepare('UPDATE lease SET lease_until = ? WHERE runtime_id = ?')
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
  return {
    request: decodeRecord(requestRecord, row.request),
    epoch: row.epoch,
    startedAt: row.started_at,
    plan: row.plan === null ? null : decodeRecord(planRecord, row.plan),
    progress: row.progress === null ? null : decodeRecord(progressRecord, row.progress),
    journal: journal.flatMap(({ entries }) => decodeRecord(journalRecord, entries)),
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

const rolloutRow = z.object({
  runtime_id: z.string(),
  epoch: z.number(),
  started_at: z.number(),
  request: z.string(),
  plan: z.string().nullable(),
  progress: z.string().nullable(),
  outcome: z.string().nullable(),
  ended_at: z.number().nullable(),
});

const leaseRow = z.object({
  rollout_id: z.string().nullable(),
  epoch: z.number(),
  lease_until: z.number(),
});

const journalRows = z.array(z.object({ entries: z.string() }));

function findRollout(database: DatabaseSync, rolloutId: string): z.infer<typeof rolloutRow> | null {
  const row = database.prepare('SELECT * FROM rollout WHERE rollout_id = ?').get(rolloutId);
  return row === undefined ? null : parseStored(rolloutRow, row);
}

function findLease(database: DatabaseSync, runtimeId: string): HeldLease | null {
  const row = database.prepare('SELECT * FROM lease WHERE runtime_id = ?').get(runtimeId);
  if (row === undefined) {
    return null;
  }
  const { rollout_id: rolloutId, epoch, lease_until: leaseUntil } = parseStored(leaseRow, row);
  return { rolloutId, epoch, leaseUntil };
}
