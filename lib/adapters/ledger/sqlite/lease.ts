import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { HeldLease } from '../../../ports/ledger.ts';
import { heldLeases, type StoredLease } from '../held-lease.ts';
import { leaseLost } from '../ledger-errors.ts';
import type { LeaseOwner } from './lease-owner.ts';

// Every function here runs inside the caller's transaction.

export function takeLease(
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

/** Throws `LeaseLost`. A closed rollout has given its lease back, so this holds for closed rollouts too. */
export function assertLease(database: DatabaseSync, lease: Lease): void {
  const row = database
    .prepare('SELECT 1 FROM lease WHERE runtime_id = ? AND rollout_id = ? AND epoch = ?')
    .get(lease.runtimeId, lease.rolloutId, lease.epoch);
  if (row === undefined) throw leaseLost(lease.rolloutId);
}

export function renewLease(database: DatabaseSync, lease: Lease, leaseUntil: number): void {
  assertLease(database, lease);
  database
    .prepare('UPDATE lease SET lease_until = max(lease_until, ?) WHERE runtime_id = ?')
    .run(leaseUntil, lease.runtimeId);
}

/** Frees the runtime, unless another rollout holds its lease by now. The epoch stays. */
export function releaseLease(database: DatabaseSync, runtimeId: string, rolloutId: string): void {
  database
    .prepare('UPDATE lease SET rollout_id = NULL WHERE runtime_id = ? AND rollout_id = ?')
    .run(runtimeId, rolloutId);
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

interface OwnedLease extends StoredLease {
  readonly owner: string;
}

export function findLease(database: DatabaseSync, runtimeId: string): OwnedLease | null {
  const row = database.prepare('SELECT * FROM lease WHERE runtime_id = ?').get(runtimeId);
  if (row === undefined) return null;
  const { rollout_id: rolloutId, epoch, lease_until, owner } = parseStored(leaseRow, row);
  return { rolloutId, epoch, leaseUntil: lease_until, owner };
}

const leaseRow = z.object({
  rollout_id: z.string().nullable(),
  epoch: z.number(),
  lease_until: z.number(),
  owner: z.string(),
});
