import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { decodeRecord, encodeRecord, parseStored } from '../../../contract/ledger/envelope.ts';
import { requestRecord, toStoredRequest } from '../../../contract/ledger/records.ts';
import { concludeTakenOver } from '../../../domain/ending/abandoned.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { Outcome } from '../../../domain/rollout/outcome.ts';
import type { AskedRequest, RolloutRequest } from '../../../domain/rollout/request.ts';
import type { Waiting } from '../../../domain/rollout/waiting.ts';
import { UNDERSTOOD } from '../../../domain/signals/signals.ts';
import { isHeld } from '../held-lease.ts';
import {
  leaseHeld,
  leaseLost,
  otherRuntime,
  refuseTakeOver,
  rolloutClosed,
  rolloutNotFound,
  stillRuns,
} from '../ledger-errors.ts';
import { assertLease, findLease, renewLease, takeLease } from './lease.ts';
import type { LeaseOwner } from './lease-owner.ts';
import { closeRollout, findRollout, readRollout } from './rollout.ts';

// Every function here runs inside the caller's transaction.

export function enlistRollout(
  database: DatabaseSync,
  request: AskedRequest,
  waiting: Waiting,
  now: number,
): boolean {
  const { rolloutId, runtimeId } = request;
  const { changes } = database
    .prepare(
      `INSERT OR IGNORE INTO rollout (rollout_id, runtime_id, epoch, started_at, request, understands)
       VALUES (?, ?, 0, ?, ?, ?)`,
    )
    .run(
      rolloutId,
      runtimeId,
      now,
      encodeRecord(toStoredRequest(request, waiting)),
      encodeRecord(UNDERSTOOD),
    );
  return changes > 0;
}

export function saveWaiting(
  database: DatabaseSync,
  request: AskedRequest,
  waiting: Waiting | null,
): void {
  const { rolloutId } = request;
  const known = findRollout(database, rolloutId);
  if (known === null) throw rolloutNotFound(rolloutId);
  if (known.outcome !== null) throw rolloutClosed(rolloutId);
  database
    .prepare('UPDATE rollout SET request = ? WHERE rollout_id = ?')
    .run(encodeRecord(toStoredRequest(request, waiting)), rolloutId);
}

export function listWaiting(database: DatabaseSync): readonly string[] {
  const rows = database
    .prepare('SELECT rollout_id FROM rollout WHERE epoch = 0 AND outcome IS NULL')
    .all();
  return parseStored(rolloutIds, rows).map(({ rollout_id }) => rollout_id);
}

export function withdrawRollout(
  database: DatabaseSync,
  rolloutId: string,
  outcome: Outcome,
  now: number,
): Outcome | null {
  const known = findRollout(database, rolloutId);
  return known !== null && known.epoch > 0 && known.outcome === null
    ? null
    : closeRollout(database, rolloutId, outcome, now);
}

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
    if (known.runtime_id !== runtimeId) throw otherRuntime(request);
    if (known.outcome !== null) throw leaseLost(rolloutId);
    const lease = { runtimeId, rolloutId, epoch: known.epoch };
    if (known.epoch > 0) return reopenRollout(database, owner, lease, now, leaseUntil);
  }
  if (isBuried(database, rolloutId)) throw leaseLost(rolloutId);
  const held = findLease(database, runtimeId);
  const underWay = findUnderWay(database, held?.rolloutId ?? null);
  if (underWay !== null) refuseTakeOver(underWay, request);
  if (isHeld(held, now) && !owner.isGone(held.owner)) {
    throw leaseHeld(runtimeId, held.rolloutId, held.leaseUntil);
  }
  const lease = { runtimeId, rolloutId, epoch: (held?.epoch ?? 0) + 1 };
  if (underWay !== null) giveUp(database, underWay.rolloutId, rolloutId, now);
  takeLease(database, owner, lease, leaseUntil);
  database
    .prepare(
      `INSERT INTO rollout (rollout_id, runtime_id, epoch, started_at, request, understands)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (rollout_id) DO UPDATE SET epoch = excluded.epoch, started_at = excluded.started_at,
         request = excluded.request, understands = excluded.understands`,
    )
    .run(rolloutId, runtimeId, lease.epoch, now, encodeRecord(request), encodeRecord(UNDERSTOOD));
  return lease;
}

function findUnderWay(database: DatabaseSync, rolloutId: string | null): AskedRequest | null {
  const known = rolloutId === null ? null : findRollout(database, rolloutId);
  if (known === null || known.outcome !== null) return null;
  return decodeRecord(requestRecord, known.request).request;
}

/**
 * Closes a rollout that let its lease run out. Its process may be dead; if it wakes up, it finds the rollout closed.
 */
function giveUp(database: DatabaseSync, rolloutId: string, by: string, now: number): void {
  const outcome = concludeTakenOver(readRollout(database, rolloutId), by);
  closeRollout(database, rolloutId, outcome, now);
}

/**
 * Opens a rollout again. The process that holds the lease gets the same lease again. Another process takes over the
 * rollout only once the first one is gone, and with a new epoch, so that the two never both write. After another
 * rollout has taken over, the plan is outdated.
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
    .prepare('UPDATE rollout SET epoch = ?, understands = ? WHERE rollout_id = ?')
    .run(next.epoch, encodeRecord(UNDERSTOOD), next.rolloutId);
  return next;
}

/** Whether a rollout was opened and has not ended, and another process may take its lease over. */
export function isAbandoned(
  database: DatabaseSync,
  owner: LeaseOwner,
  rolloutId: string,
  now: number,
): boolean {
  const known = findRollout(database, rolloutId);
  if (known === null || known.epoch === 0 || known.outcome !== null) return false;
  const held = findLease(database, known.runtime_id);
  return held?.rolloutId === rolloutId && (!isHeld(held, now) || owner.isGone(held.owner));
}

/** An open is one transaction, so there is never a half-finished one to clean up. */
export function buryRollout(database: DatabaseSync, rolloutId: string): void {
  if (findRollout(database, rolloutId) !== null) return;
  database.prepare('INSERT OR IGNORE INTO buried (rollout_id) VALUES (?)').run(rolloutId);
}

function isBuried(database: DatabaseSync, rolloutId: string): boolean {
  return database.prepare('SELECT 1 FROM buried WHERE rollout_id = ?').get(rolloutId) !== undefined;
}

const rolloutIds = z.array(z.object({ rollout_id: z.string() }));
