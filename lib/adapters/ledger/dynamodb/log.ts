import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import type { Field } from '../../../contract/ledger/fields.ts';
import { type ItemCondition, isMet } from '../../../ledger/condition.ts';
import type { Key } from '../../../ledger/storage.ts';
import { toExpressions } from './expressions.ts';
import { pack, partItem, unpack } from './packing.ts';
import { toItem } from './rows.ts';
import type { Table } from './table.ts';

/**
 * Adds entries to the last item of the log as long as that item is small, and else as an item of its own. Every look
 * reads the whole journal: entries in one item share their words when it is compressed, and a group adds two entries
 * for each runtime.
 */
export async function addToLog(
  table: Table,
  key: Key,
  field: Field,
  entries: readonly unknown[],
  only: ItemCondition,
): Promise<boolean> {
  if (entries.length > 0 && !(await addToLast(table, key, field, entries))) {
    // The order comes from a number in the table and not from the time, because clocks differ and may be set back.
    const row = await table.change(key, toExpressions({ count: field, only }));
    if (row === null) return false;
    await table.putParts(key.pk, `${field}#${String(row[field]).padStart(12, '0')}#`, entries);
  }
  // The caller may write to the service next. A process that slept until now must not do that.
  const row = await table.get(key);
  await table.expireWith(row, key.pk);
  return isMet(only, toItem(row, Object.keys(only) as Field[]));
}

/** `false`: there is no room, or somebody else has added to it first. */
async function addToLast(
  table: Table,
  { pk }: Key,
  field: Field,
  entries: readonly unknown[],
): Promise<boolean> {
  const [row] = await table.queryFrom(pk, `${field}#`, 'last');
  if (row === undefined) return false;
  const { sk, parts, data } = parseStored(partItem, row);
  if (parts > 1 || data.length >= FULL_BYTES) return false;
  const more = pack([...unpack(asTheyAre, data), ...entries]);
  if (more.length > FULL_BYTES) return false;
  const written = await table.change(
    { pk, sk },
    {
      UpdateExpression: 'SET #data = :more',
      ConditionExpression: '#data = :data',
      ExpressionAttributeNames: { '#data': 'data' },
      ExpressionAttributeValues: { ':data': data, ':more': more },
    },
  );
  if (written !== null) return true;
  // The call may be made twice, and others may have added to the item in between.
  const stored = parseStored(partItem, await table.get({ pk, sk }));
  const mine = unpack(asTheyAre, more);
  return isDeepStrictEqual(unpack(asTheyAre, stored.data).slice(0, mine.length), mine);
}

/** With its keys an item of this size is within a kilobyte, which is one write unit. */
const FULL_BYTES = 900;

/** Entries that are stored keep what a newer steproll has written in them. */
const asTheyAre = z.array(z.unknown());
