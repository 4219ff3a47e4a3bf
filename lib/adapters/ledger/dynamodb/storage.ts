import { randomUUID } from 'node:crypto';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { FIELDS, type Field } from '../../../contract/ledger/fields.ts';
import { EXPIRES_AT } from '../../../contract/ledger/table.ts';
import type { Key, RemoteStorage } from '../../../ledger/storage.ts';
import { toCheck, toExpressions } from './expressions.ts';
import { addToLog } from './log.ts';
import { pack } from './packing.ts';
import { hasAllParts, prefixOf, toClaim, toItem } from './rows.ts';
import { Table } from './table.ts';

/**
 * A storage in one DynamoDB table, for any number of writers on any number of machines. Each change is one conditional
 * write of one item, and every read is strongly consistent, except that of an index.
 *
 * A plan or a way back is too large for its item: that names the items `plan#<uuid>#<part>`. The entries of a journal
 * are in `journal#<number>#<part>`, and the item has the latest number. `lines` are kept in the same way.
 */
export function openTable(name: string, client: DynamoDBDocumentClient): RemoteStorage {
  const table = new Table(name, client);
  return {
    async get({ key, fields, isClaim = false }) {
      const row = await table.get(key);
      if (isClaim) return toClaim(row, fields);
      const large = fields.filter(
        (field) => FIELDS[field].kind === 'large' && row[field] !== undefined,
      );
      const parts = await Promise.all(
        large.map((field) => table.queryFrom(key.pk, prefixOf(field, row))),
      );
      return toItem(row, fields, parts.flat());
    },

    /** None of the fields may be large, or a log. */
    async getEach(asks) {
      const rows = await table.getEach(asks.map(({ key }) => key));
      return asks.map(({ fields, isClaim = false }, index) =>
        (isClaim ? toClaim : toItem)(rows[index] ?? {}, fields),
      );
    },

    async list({ pk }) {
      // One query costs the kilobytes of all items together. It reads an item before the plans that it names and the
      // journal, whose keys are lower, so these have at least what it tells.
      const rows = await table.queryAll(pk, { ScanIndexForward: false });
      const { parts = [], items = [] } = Object.groupBy(rows.reverse(), ({ data }) =>
        data === undefined ? 'items' : 'parts',
      );
      // A table that has begun to remove a rollout has removed it.
      const whole = items.filter((row) => row[EXPIRES_AT] === undefined || hasAllParts(row, parts));
      return whole.map((row) => {
        const item = toItem(row, Object.keys(FIELDS) as Field[], parts);
        return { key: { pk, sk: row.sk }, item };
      });
    },

    async listKeys({ pk, most }) {
      const rows = await table.queryAll(pk, { ProjectionExpression: 'sk' }, most);
      return rows.map(({ sk }) => ({ key: { pk, sk } }));
    },

    async find({ index, value, prefix, newest, fields }) {
      const rows = await table.query(
        {
          IndexName: index.name,
          KeyConditionExpression: '#key = :value',
          FilterExpression: 'begins_with(pk, :prefix)',
          ExpressionAttributeNames: { '#key': index.key },
          ExpressionAttributeValues: { ':value': value, ':prefix': prefix },
          ...(newest !== undefined && { ScanIndexForward: false, Limit: newest }),
        },
        newest,
      );
      return rows.map((row) => ({
        key: parseStored(keyRow, row),
        item: toItem(row, fields),
      }));
    },

    async update({ key, set = {}, add = {}, only, given }) {
      const [field] = Object.keys(add) as (keyof typeof add)[];
      if (field !== undefined && FIELDS[field].kind === 'log') {
        return addToLog(table, key, field, add[field] ?? [], only);
      }
      const stored = await store(table, key, set);
      const expressions = toExpressions({ set: stored, add, only });
      const changed =
        given === undefined
          ? await table.change(key, expressions)
          : await table.changeGiven(key, expressions, given.key, toCheck(given.only));
      const isDone = changed !== null;
      const hasParts = Object.keys(set).some((field) => FIELDS[field as Field].kind === 'large');
      if (!isDone && hasParts) await table.expireWith(await table.get(key), key.pk);
      return isDone;
    },

    expire: (which) => table.expire(which),
  };
}

/** The same with a client for this account and region. */
export function connectTable(
  name: string,
  requestHandler: NonNullable<DynamoDBClientConfig['requestHandler']>,
): RemoteStorage {
  return openTable(name, DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler })));
}

/** What the item gets in the place of these values. Those that are too large for it are stored before. */
async function store(
  table: Table,
  { pk }: Key,
  set: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const stored = Object.entries(set).map(async ([field, value]) => {
    const { kind } = FIELDS[field as Field];
    if (value === null || kind === 'plain' || kind === 'words') return [field, value];
    if (kind === 'record') return [field, pack(value)];
    // The parts belong to nobody until the item names them, so a record is either complete or not there.
    const id = randomUUID();
    await table.putParts(pk, `${field}#${id}#`, value);
    return [field, id];
  });
  return Object.fromEntries(await Promise.all(stored));
}

const keyRow = z.object({ pk: z.string(), sk: z.string() });
