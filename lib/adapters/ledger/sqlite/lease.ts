import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { HeldLease } from '../../../ports/ledger.ts';
import { leaseLost } from '../errors.ts';
import { heldLeases, type StoredLease } from '../held-lease.ts';

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

/** Throws `LeaseLost`. A closed rollout has given its lease back, so this covers it too. */
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

/** Who holds leases in a ledger that processes of one machine share. */
export interface LeaseOwner {
  /** No other process that is alive has it. */
  readonly name: string;
  /** Whether the process of this name is certainly no more. In doubt it is not. */
  isGone(name: string): boolean;
}

/** Tells the ledgers of one process apart from those of another one with its process id. */
const instance = randomUUID();

/**
 * This process, by the place where its process id means something, the id, and a name of its own. Of the
 * processes of another place nothing is certain: another machine, another boot, another container.
 */
export function thisProcess(): LeaseOwner {
  const place = thisPlace();
  return {
    name: `${place} ${process.pid} ${instance}`,
    isGone(name) {
      const [, where, pid, other] = /^(.*) (\d+) (\S+)$/.exec(name) ?? [];
      if (place === null || where !== place || pid === undefined) return false;
      // An id like ours is ours by now: whoever had it before is gone.
      return Number(pid) === process.pid ? other !== instance : !isAlive(Number(pid));
    },
  };
}

/** `null` where it cannot be told. */
function thisPlace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Elsewhere than on Linux there are no containers that share a host name and a file.
    return process.platform === 'linux' ? null : hostname();
  }
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 asks only.
    process.kill(pid, 0);
  } catch (error) {
    // A process of somebody else answers EPERM.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return !isZombie(pid);
}

/** It has ended, and only waits for its parent to ask how. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // `1234 (name) Z …`, and the name may hold anything.
    return /^\) [ZX] /.test(stat.slice(stat.lastIndexOf(')')));
  } catch {
    return false;
  }
}
