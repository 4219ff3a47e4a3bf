import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  type NativeAttributeValue,
  PutCommand,
  paginateQuery,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { FIELDS, type Field } from '../../../contract/ledger/fields.ts';
import { EXPIRES_AT } from '../../../contract/ledger/table.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import { type ItemCondition, isMet } from '../../../ledger/condition.ts';
import type { Item, Key, RemoteStorage } from '../../../ledger/storage.ts';
import { toExpressions } from './expressions.ts';
import { joinParts, pack, packed, partItem, partsOf, unpack } from './packing.ts';

/** What a table has as one of its own items. */
type Row = Record<string, NativeAttributeValue>;

/**
 * A storage in one DynamoDB table, for any number of writers on any number of machines. Each change is one conditional
 * write of one item, and every read is strongly consistent, except that of an index.
 *
 * A plan or a way back is too large for its item: that names the items `plan#<uuid>#<part>`. The entries of a journal
 * are in `journal#<number>#<part>`, and the item has the latest number. `lines` are kept in the same way.
 *
 * The SDK's own retries of throttled and failed calls are enough, because each call may be made twice.
 */
export function openTable(TableName: string, client: DynamoDBDocumentClient): RemoteStorage {
  const getRow = async (Key: Key): Promise<Row> => {
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return Item ?? {};
  };

  /** One call for all of them, unless the table answers only some because it is busy. */
  const getRows = async (keys: readonly Key[]): Promise<Row[]> => {
    const rows: Row[] = [];
    let left: Key[] | undefined = [...keys];
    for (let pass = 0; left !== undefined && left.length > 0; pass += 1) {
      if (pass === MOST_PASSES) throw new Error(`${left.length} items were not answered.`);
      if (pass > 0) await sleep(50 * 2 ** pass);
      const { Responses = {}, UnprocessedKeys = {} } = await client.send(
        new BatchGetCommand({
          RequestItems: { [TableName]: { Keys: left, ConsistentRead: true } },
        }),
      );
      rows.push(...(Responses[TableName] ?? []));
      left = UnprocessedKeys[TableName]?.Keys as Key[] | undefined;
    }
    return keys.map(({ pk, sk }) => rows.find((row) => row.pk === pk && row.sk === sk) ?? {});
  };

  const query = async (
    input: Omit<QueryCommandInput, 'TableName'>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Row[]> => {
    const rows: Row[] = [];
    for await (const { Items = [] } of paginateQuery({ client }, { TableName, ...input })) {
      rows.push(...Items);
      if (rows.length >= most) return rows.slice(0, most);
    }
    return rows;
  };

  /** The row's new state. `null`: the condition does not hold. */
  const change = async (Key: Key, input: Partial<UpdateCommandInput>): Promise<Row | null> => {
    const ReturnValues = 'UPDATED_NEW';
    try {
      const command = new UpdateCommand({ TableName, Key, ReturnValues, ...input });
      return (await client.send(command)).Attributes ?? {};
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return null;
      throw error;
    }
  };

  /** Stores a new item. One that is there already stays as it is, because somebody may have changed it since. */
  const put = async (Item: Row): Promise<void> => {
    const ConditionExpression = 'attribute_not_exists(pk)';
    await client
      .send(new PutCommand({ TableName, Item, ConditionExpression }))
      .catch((error: unknown) => {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      });
  };

  const putParts = async (pk: string, prefix: string, value: unknown): Promise<void> => {
    await Promise.all(partsOf(prefix, value).map((part) => put({ pk, ...part })));
  };

  const expire = async ({ pk, at }: { readonly pk: string; readonly at: number }) => {
    const rows = await query({
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ProjectionExpression: `sk, ${EXPIRES_AT}`,
    });
    const kept = rows.filter((row) => row[EXPIRES_AT] === undefined);
    const told = {
      UpdateExpression: `SET ${EXPIRES_AT} = :at`,
      ExpressionAttributeValues: { ':at': at },
    };
    for (let from = 0; from < kept.length; from += AT_ONCE) {
      const some = kept.slice(from, from + AT_ONCE);
      await Promise.all(some.map(({ sk }) => change({ pk, sk }, told)));
    }
  };

  /** What was written while somebody else told that all of a rollout may be removed was not among it. */
  const expireWith = async ({ [EXPIRES_AT]: at }: Row, pk: string) => {
    if (typeof at === 'number') await expire({ pk, at });
  };

  /**
   * Adds entries to the last item of the log as long as that item is small, and else as an item of its own. Every look
   * reads the whole journal: entries in one item share their words when it is compressed, and a group adds two entries
   * for each runtime.
   */
  const addToLog = async (
    key: Key,
    field: Field,
    entries: readonly unknown[],
    only: ItemCondition,
  ): Promise<boolean> => {
    if (entries.length > 0 && !(await addToLast(key, field, entries))) {
      // The order comes from a number in the table and not from the time, because clocks differ and may be set back.
      const row = await change(key, toExpressions({ count: field, only }));
      if (row === null) return false;
      await putParts(key.pk, `${field}#${String(row[field]).padStart(12, '0')}#`, entries);
    }
    // The caller may write to the service next. A process that slept until now must not do that.
    const row = await getRow(key);
    await expireWith(row, key.pk);
    return isMet(only, toItem(row, Object.keys(only) as Field[]));
  };

  /** `false`: there is no room, or somebody else has added to it first. */
  const addToLast = async (
    { pk }: Key,
    field: Field,
    entries: readonly unknown[],
  ): Promise<boolean> => {
    const [row] = await query({ ...beginsWith(pk, `${field}#`), ...LAST }, 1);
    if (row === undefined) return false;
    const { sk, parts, data } = parseStored(partItem, row);
    if (parts > 1 || data.length >= FULL_BYTES) return false;
    const more = pack([...unpack(asTheyAre, data), ...entries]);
    if (more.length > FULL_BYTES) return false;
    const written = await change(
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
    const stored = parseStored(partItem, await getRow({ pk, sk }));
    const mine = unpack(asTheyAre, more);
    return isDeepStrictEqual(unpack(asTheyAre, stored.data).slice(0, mine.length), mine);
  };

  return {
    async get({ key, fields }) {
      const row = await getRow(key);
      const large = fields.filter(
        (field) => FIELDS[field].kind === 'large' && row[field] !== undefined,
      );
      const parts = await Promise.all(
        large.map((field) => query(beginsWith(key.pk, prefixOf(field, row)))),
      );
      return toItem(row, fields, parts.flat());
    },

    /** None of the fields may be large, or a log. */
    async getEach(asks) {
      const rows = await getRows(asks.map(({ key }) => key));
      return asks.map(({ fields }, index) => toItem(rows[index] ?? {}, fields));
    },

    async list({ pk }) {
      // One query costs the kilobytes of all items together. It reads an item before the plans that it names and the
      // journal, whose keys are lower, so these have at least what it tells.
      const rows = await query({
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ScanIndexForward: false,
      });
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

    async find({ index, value, newest, fields }) {
      const rows = await query(
        {
          IndexName: index.name,
          KeyConditionExpression: '#key = :value',
          ExpressionAttributeNames: { '#key': index.key },
          ExpressionAttributeValues: { ':value': value },
          ...(newest !== undefined && { ScanIndexForward: false, Limit: newest }),
        },
        newest,
      );
      return rows.map((row) => ({
        key: parseStored(keyRow, row),
        item: toItem(row, fields),
      }));
    },

    async update({ key, set = {}, add = {}, only }) {
      const [field] = Object.keys(add) as (keyof typeof add)[];
      if (field !== undefined && FIELDS[field].kind === 'log') {
        return addToLog(key, field, add[field] ?? [], only);
      }
      const stored = await Promise.all(
        Object.entries(set).map(async ([field, value]) => {
          const { kind } = FIELDS[field as Field];
          if (value === null || kind === 'plain' || kind === 'words') return [field, value];
          if (kind === 'record') return [field, pack(value)];
          // The parts belong to nobody until the item names them, so a record is either complete or not there.
          const id = randomUUID();
          await putParts(key.pk, `${field}#${id}#`, value);
          return [field, id];
        }),
      );
      const expressions = toExpressions({ set: Object.fromEntries(stored), add, only });
      const isDone = (await change(key, expressions)) !== null;
      const hasParts = Object.keys(set).some((field) => FIELDS[field as Field].kind === 'large');
      if (!isDone && hasParts) await expireWith(await getRow(key), key.pk);
      return isDone;
    },

    expire,
  };
}

/** The same with a client for this account and region. */
export function connectTable(
  name: string,
  requestHandler: NonNullable<DynamoDBClientConfig['requestHandler']>,
): RemoteStorage {
  return openTable(name, DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler })));
}

/** After so many answers that lack items, the table is too busy. */
const MOST_PASSES = 5;

/** So many items are told at once when they may be removed. */
const AT_ONCE = 25;

/** With its keys an item of this size is within a kilobyte, which is one write unit. */
const FULL_BYTES = 900;

/** Entries that are stored keep what a newer steproll has written in them. */
const asTheyAre = z.array(z.unknown());

const keyRow = z.object({ pk: z.string(), sk: z.string() });

const LAST = { ScanIndexForward: false, Limit: 1 } as const;

function beginsWith(pk: string, prefix: string) {
  return {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
  };
}

/** Where the record is that the row names. */
function prefixOf(field: Field, row: Row): string {
  return `${field}#${row[field]}#`;
}

/** These fields of a row. Those that a newer steproll has added are skipped. */
function toItem(row: Row, fields: readonly Field[], parts: readonly Row[] = []): Item {
  const there = fields.filter((field) => row[field] !== undefined);
  return Object.fromEntries(there.map((field) => [field, toValue(row, field, parts)]));
}

function hasAllParts(row: Row, parts: readonly Row[]): boolean {
  const large = (Object.keys(FIELDS) as Field[]).filter((field) => FIELDS[field].kind === 'large');
  return large.every((field) => {
    const found = parts.filter(({ sk }) => sk.startsWith(prefixOf(field, row)));
    return row[field] === undefined || (found.length > 0 && found.length === found[0]?.parts);
  });
}

function toValue(row: Row, field: Field, parts: readonly Row[]): unknown {
  const { kind } = FIELDS[field];
  const schema: z.ZodType = FIELDS[field].schema;
  const stored = row[field];
  const among = (prefix: string) =>
    parts.filter(({ sk }) => sk.startsWith(prefix)).map((part) => parseStored(partItem, part));
  switch (kind) {
    case 'plain':
    case 'words':
      return parseStored(schema, stored);
    case 'record':
      return unpack(schema, parseStored(packed, stored));
    case 'list':
      return parseStored(z.array(packed), stored).map((one) => unpack(schema, one));
    case 'log':
      return joinParts(schema, among(`${field}#`)).flat();
    case 'large': {
      const [value] = joinParts(schema, among(prefixOf(field, row)));
      if (value !== undefined) return value;
      throw new SteprollError(
        ErrorName.IncompatibleState,
        `a part of the ${field} of ${JSON.stringify(row.pk)} is missing.`,
      );
    }
    default:
      return kind satisfies never;
  }
}
