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

/** Identifies the holder of a lease in a ledger that several processes of one machine share. */
export interface LeaseOwner {
  /** The name of this process. No other living process has it. */
  readonly name: string;
  /** Whether the process of this name is certainly gone. In doubt it is not. */
  isGone(name: string): boolean;
}

/** Keeps this process apart from an earlier process that had the same process id. */
const instance = randomUUID();

/**
 * The name of this process consists of three parts: the place where its process id is valid, the process id, and an
 * id of its own. Nothing is certain about processes of another place, such as another machine, boot or container.
 */
export function thisProcess(): LeaseOwner {
  const place = thisPlace();
  return {
    name: `${place} ${process.pid} ${instance}`,
    isGone(name) {
      const [, where, pid, other] = /^(.*) (\d+) (\S+)$/.exec(name) ?? [];
      if (place === null || where !== place || pid === undefined) return false;
      // This process has that process id now, so any other process that had it before is gone.
      return Number(pid) === process.pid ? other !== instance : !isAlive(Number(pid));
    },
  };
}

/** `null` when the place is not known. */
function thisPlace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only on Linux are there containers that share a host name and a file.
    return process.platform === 'linux' ? null : hostname();
  }
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 only asks whether the process exists.
    process.kill(pid, 0);
  } catch (error) {
    // The process of another user answers EPERM.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return !isZombie(pid);
}

/** The process has ended, and only waits for its parent to ask for its result. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The format is `1234 (name) Z …`, and the name may contain any characters.
    return /^\) [ZX] /.test(stat.slice(stat.lastIndexOf(')')));
  } catch {
    return false;
  }
}
