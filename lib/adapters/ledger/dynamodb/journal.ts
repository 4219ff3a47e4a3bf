import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import type { JournalEntry } from '../../../domain/endpoint/journal.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import { assertOpen, pack, partItem, putParts, rolloutKey, unpack, updateOpen } from './items.ts';
import type { Table } from './table.ts';

export const JOURNAL = 'journal#';

/**
 * Adds entries to the last item of the journal as long as that item is small, and else as an item of its own. Every
 * look reads the whole journal: entries in one item share their words when it is compressed, and a group adds two
 * entries for each runtime.
 *
 * @throws `LeaseLost`
 */
export async function append(
  table: Table,
  lease: Lease,
  entries: readonly JournalEntry[],
): Promise<void> {
  if (entries.length > 0 && !(await addToLast(table, lease, entries))) {
    // The order comes from a number in the table and not from the time, because clocks differ and may be set back.
    const { journalSeq } = await updateOpen(table, lease, 'ADD journalSeq :one', { ':one': 1 });
    const prefix = `${JOURNAL}${String(journalSeq).padStart(12, '0')}#`;
    await putParts(table, rolloutKey(lease.rolloutId).pk, prefix, entries);
  }
  // The caller may write to the service next. A process that slept until now must not do that.
  await assertOpen(table, lease);
}

/** With its keys an item of this size is within a kilobyte, which is one write unit. */
const FULL_BYTES = 900;

/** Entries that are stored keep what a newer steproll has written in them. */
const asTheyAre = z.array(z.unknown());

/** `false`: there is no room, or somebody else has added to it first. */
async function addToLast(
  table: Table,
  { rolloutId }: Lease,
  entries: readonly JournalEntry[],
): Promise<boolean> {
  const { pk } = rolloutKey(rolloutId);
  const item = await table.findLast(pk, JOURNAL);
  if (item === null) return false;
  const { sk, parts, data } = parseStored(partItem, item);
  if (parts > 1 || data.length >= FULL_BYTES) return false;
  const more = pack([...unpack(asTheyAre, data), ...entries]);
  if (more.length > FULL_BYTES) return false;
  const written = await table.update(
    { pk, sk },
    {
      expression: 'SET #data = :more',
      condition: '#data = :data',
      values: { ':data': data, ':more': more },
      names: { '#data': 'data' },
    },
  );
  if (written !== null) return true;
  // The call may be made twice, and others may have added to the item in between.
  const stored = parseStored(partItem, await table.get({ pk, sk }));
  const mine = unpack(asTheyAre, more);
  return isDeepStrictEqual(unpack(asTheyAre, stored.data).slice(0, mine.length), mine);
}
