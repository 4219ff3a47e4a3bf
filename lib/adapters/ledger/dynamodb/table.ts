import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  type NativeAttributeValue,
  PutCommand,
  paginateQuery,
  type QueryCommandInput,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { EXPIRES_AT } from '../../../contract/ledger/table.ts';
import type { Key } from '../../../ledger/storage.ts';
import type { toCheck, toExpressions } from './expressions.ts';
import { partsOf } from './packing.ts';

/** What a table has as one of its own items. */
export type Row = Record<string, NativeAttributeValue>;

/**
 * The calls of one table: each read of its own items is strongly consistent.
 *
 * The SDK's own retries of throttled and failed calls are enough, because each call may be made twice.
 */
export class Table {
  private readonly name: string;
  private readonly client: DynamoDBDocumentClient;

  constructor(name: string, client: DynamoDBDocumentClient) {
    this.name = name;
    this.client = client;
  }

  async get(Key: Key): Promise<Row> {
    const command = new GetCommand({ TableName: this.name, Key, ConsistentRead: true });
    return (await this.client.send(command)).Item ?? {};
  }

  /** One call for every hundred of them, unless the table answers only some because it is busy. */
  async getEach(keys: readonly Key[]): Promise<Row[]> {
    const rows: Row[] = [];
    for (let from = 0; from < keys.length; from += MOST_KEYS) {
      rows.push(...(await this.getSome(keys.slice(from, from + MOST_KEYS))));
    }
    return rows;
  }

  private async getSome(keys: readonly Key[]): Promise<Row[]> {
    const { name } = this;
    const rows: Row[] = [];
    let left: Key[] | undefined = [...keys];
    for (let pass = 0; left !== undefined && left.length > 0; pass += 1) {
      if (pass === MOST_PASSES) throw new Error(`${left.length} items were not answered.`);
      if (pass > 0) await sleep(50 * 2 ** pass);
      const { Responses = {}, UnprocessedKeys = {} } = await this.client.send(
        new BatchGetCommand({ RequestItems: { [name]: { Keys: left, ConsistentRead: true } } }),
      );
      rows.push(...(Responses[name] ?? []));
      left = UnprocessedKeys[name]?.Keys as Key[] | undefined;
    }
    return keys.map(({ pk, sk }) => rows.find((row) => row.pk === pk && row.sk === sk) ?? {});
  }

  async query(
    input: Omit<QueryCommandInput, 'TableName'>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Row[]> {
    const { name: TableName, client } = this;
    const rows: Row[] = [];
    for await (const { Items = [] } of paginateQuery({ client }, { TableName, ...input })) {
      rows.push(...Items);
      if (rows.length >= most) return rows.slice(0, most);
    }
    return rows;
  }

  /** The items of a partition. */
  queryAll(pk: string, input: Partial<QueryCommandInput> = {}, most?: number): Promise<Row[]> {
    const ofPartition = {
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    };
    return this.query({ ...ofPartition, ...input }, most);
  }

  /** Those of a partition whose keys begin so: all of them, in their order, or only the last one. */
  queryFrom(pk: string, prefix: string, which: 'all' | 'last' = 'all'): Promise<Row[]> {
    const input = {
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    };
    if (which === 'all') return this.query(input);
    return this.query({ ...input, ScanIndexForward: false, Limit: 1 }, 1);
  }

  /** The row's new state. `null`: the condition does not hold. */
  async change(Key: Key, input: Partial<UpdateCommandInput>): Promise<Row | null> {
    const ReturnValues = 'UPDATED_NEW';
    const command = new UpdateCommand({ TableName: this.name, Key, ReturnValues, ...input });
    return unlessBusy(async () => (await this.client.send(command)).Attributes ?? {});
  }

  /** The same of an item while another one is as it has to be. It answers nothing of its new state. */
  async changeGiven(
    Key: Key,
    input: ReturnType<typeof toExpressions>,
    givenKey: Key,
    check: ReturnType<typeof toCheck>,
  ): Promise<Row | null> {
    const TableName = this.name;
    const TransactItems = [
      { ConditionCheck: { TableName, Key: givenKey, ...check } },
      { Update: { TableName, Key, ...input } },
    ];
    return unlessBusy(async () => {
      await this.client.send(new TransactWriteCommand({ TransactItems }));
      return {};
    });
  }

  /** Stores a value of any size as items of its own. */
  async putParts(pk: string, prefix: string, value: unknown): Promise<void> {
    await Promise.all(partsOf(prefix, value).map((part) => this.put({ pk, ...part })));
  }

  /** Stores a new item. One that is there already stays as it is, because somebody may have changed it since. */
  private async put(Item: Row): Promise<void> {
    const ConditionExpression = 'attribute_not_exists(pk)';
    const command = new PutCommand({ TableName: this.name, Item, ConditionExpression });
    await this.client.send(command).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  }

  /** Tells all items of a partition when they may be removed. */
  async expire({ pk, at }: { readonly pk: string; readonly at: number }): Promise<void> {
    const rows = await this.queryAll(pk, { ProjectionExpression: `sk, ${EXPIRES_AT}` });
    const kept = rows.filter((row) => row[EXPIRES_AT] === undefined);
    const told = {
      UpdateExpression: `SET ${EXPIRES_AT} = :at`,
      ExpressionAttributeValues: { ':at': at },
    };
    for (let from = 0; from < kept.length; from += AT_ONCE) {
      const some = kept.slice(from, from + AT_ONCE);
      await Promise.all(some.map(({ sk }) => this.change({ pk, sk }, told)));
    }
  }

  /** What was written while somebody else told that all of a rollout may be removed was not among it. */
  async expireWith({ [EXPIRES_AT]: at }: Row, pk: string): Promise<void> {
    if (typeof at === 'number') await this.expire({ pk, at });
  }
}

/** After so many answers that lack items, the table is too busy. */
const MOST_PASSES = 5;

/** DynamoDB answers so many keys in one call. */
const MOST_KEYS = 100;

/** So many items are told at once when they may be removed. */
const AT_ONCE = 25;

/** Writes, again when somebody's transaction has just had one of the items. `null`: a condition does not hold. */
async function unlessBusy(write: () => Promise<Row>): Promise<Row | null> {
  for (let pass = 1; ; pass += 1) {
    try {
      return await write();
    } catch (error) {
      const codes = codesOf(error);
      if (codes.includes('ConditionalCheckFailed')) return null;
      if (!codes.includes('TransactionConflict') || pass === MOST_PASSES) throw error;
      await sleep(50 * 2 ** pass * Math.random());
    }
  }
}

/** Why a write was refused, by the codes of a transaction. */
function codesOf(error: unknown): readonly (string | undefined)[] {
  if (error instanceof ConditionalCheckFailedException) return ['ConditionalCheckFailed'];
  if (error instanceof TransactionConflictException) return ['TransactionConflict'];
  if (!(error instanceof TransactionCanceledException)) return [];
  return (error.CancellationReasons ?? []).map(({ Code }) => Code);
}
