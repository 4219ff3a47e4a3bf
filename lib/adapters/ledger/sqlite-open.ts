import type { DatabaseSync } from 'node:sqlite';
import { decodeRecord, encodeRecord, requestRecord } from '../../contract/ledger-record.ts';
import { takenOverBy } from '../../domain/contain/taken-over-by.ts';
import type { Lease, RolloutRequest } from '../../domain/rollout.ts';
import { isHeld } from './held-lease.ts';
import type { LeaseOwner } from './lease-owner.ts';
import { leaseHeld, leaseLost, otherRuntime, refuseTakeOver, stillRuns } from './ledger-errors.ts';
import { assertLease, findLease, renewLease, takeLease } from './sqlite-lease.ts';
import { closeRollout, findRollout } from './sqlite-rollout.ts';

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
  if (held !== null && held.rolloutId !== null) {
    giveUp(database, held.rolloutId, request, now);
  }
  takeLease(database, owner, lease, leaseUntil);
  database
    .prepare(
      'INSERT INTO rollout (rollout_id, runtime_id, epoch, started_at, request) VALUES (?, ?, ?, ?, ?)',
    )
    .run(rolloutId, runtimeId, lease.epoch, now, encodeRecord(request));
  return lease;
}

/** Closes one that let its lease run out: its process may be dead, and one that wakes up finds it closed. */
function giveUp(database: DatabaseSync, rolloutId: string, by: RolloutRequest, now: number): void {
  const known = findRollout(database, rolloutId);
  if (known === null || known.outcome !== null) return;
  refuseTakeOver(decodeRecord(requestRecord, known.request), by);
  closeRollout(database, rolloutId, takenOverBy(by.rolloutId), now);
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
    throw stillRuns(lease.rolloutId, held.leaseUntil);
  }
  const next = { ...lease, epoch: lease.epoch + 1 };
  takeLease(database, owner, next, leaseUntil);
  database
    .prepare('UPDATE rollout SET epoch = ? WHERE rollout_id = ?')
    .run(next.epoch, next.rolloutId);
  return next;
}

/** An open is one transaction, so there is never half of one to clean up. */
export function buryRollout(database: DatabaseSync, rolloutId: string): void {
  database.prepare('INSERT OR IGNORE INTO buried (rollout_id) VALUES (?)').run(rolloutId);
}

function isBuried(database: DatabaseSync, rolloutId: string): boolean {
  return database.prepare('SELECT 1 FROM buried WHERE rollout_id = ?').get(rolloutId) !== undefined;
}
