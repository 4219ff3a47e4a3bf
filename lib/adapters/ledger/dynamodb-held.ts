import { parseStored } from '../../contract/ledger-record.ts';
import { OPEN_AS, OPEN_INDEX } from '../../contract/ledger-table.ts';
import type { HeldLease } from '../../ports/ledger.ts';
import { releaseLease } from './dynamodb-lease.ts';
import { rolloutKey } from './dynamodb-rollout.ts';
import type { Table } from './dynamodb-table.ts';
import { heldLeases } from './held-lease.ts';

export async function listHeld(table: Table): Promise<readonly HeldLease[]> {
  return parseStored(
    heldLeases,
    await table.listIndex({ index: OPEN_INDEX, value: OPEN_AS.lease }),
  );
}

/**
 * Marks the rollout as one that lost its lease: whoever opens it later finds that before taking
 * anything. An `open` that is between its own read and write at this moment may still take the lease;
 * then the lease shows as held, and burying once more gives it back.
 */
export async function buryRollout(table: Table, rolloutId: string): Promise<void> {
  const tombstone = await table.update(rolloutKey(rolloutId), {
    expression: 'SET leaseLost = :lost',
    condition: 'attribute_not_exists(requestData)',
    values: { ':lost': true },
  });
  if (tombstone === null) return;
  const held = await listHeld(table);
  const lease = held.find((each) => each.rolloutId === rolloutId);
  if (lease !== undefined) await releaseLease(table, lease);
}
