import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { OPEN_AS, OPEN_INDEX } from '../../../contract/ledger/table.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { HeldLease } from '../../../ports/ledger.ts';
import { heldLeases, type StoredLease } from '../held-lease.ts';
import { leaseLost } from '../ledger-errors.ts';
import { assertOpen } from './items.ts';
import type { Key, Table } from './table.ts';

/** Throws `LeaseLost`. */
export async function renewLease(
  table: Table,
  lease: Lease,
  leaseUntil: number,
  isProven = false,
): Promise<void> {
  if (!isProven) await assertOpen(table, lease);
  const renewed = await table.update(leaseKey(lease.runtimeId), {
    expression: 'SET leaseUntil = :until',
    condition: 'rolloutId = :rolloutId AND epoch = :epoch AND leaseUntil < :until',
    values: { ':until': leaseUntil, ':rolloutId': lease.rolloutId, ':epoch': lease.epoch },
  });
  if (renewed !== null) return;
  const held = await findLease(table, lease.runtimeId);
  if (held?.rolloutId !== lease.rolloutId || held.epoch !== lease.epoch) {
    throw leaseLost(lease.rolloutId);
  }
}

/** Frees the runtime, unless another rollout holds its lease by now. The epoch stays. */
export async function releaseLease(table: Table, lease: Lease): Promise<void> {
  await table.update(leaseKey(lease.runtimeId), {
    expression: `REMOVE rolloutId, ${OPEN_INDEX.key}`,
    condition: 'rolloutId = :rolloutId AND epoch = :epoch',
    values: { ':rolloutId': lease.rolloutId, ':epoch': lease.epoch },
  });
}

export function leaseKey(runtimeId: string): Key {
  return { pk: `runtime#${runtimeId}`, sk: 'lease' };
}

const leaseItem = z.object({
  rolloutId: z.string().nullable().default(null),
  epoch: z.number(),
  leaseUntil: z.number(),
});

export async function findLease(table: Table, runtimeId: string): Promise<StoredLease | null> {
  const item = await table.get(leaseKey(runtimeId));
  return item === null ? null : parseStored(leaseItem, item);
}

export async function listHeld(table: Table): Promise<readonly HeldLease[]> {
  return parseStored(
    heldLeases,
    await table.listIndex({ index: OPEN_INDEX, value: OPEN_AS.lease }),
  );
}
