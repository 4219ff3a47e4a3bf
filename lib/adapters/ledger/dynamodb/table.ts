import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  type NativeAttributeValue,
  PutCommand,
  paginateQuery,
  type QueryCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { LedgerIndex } from '../../../contract/ledger/table.ts';

export type Item = Record<string, NativeAttributeValue>;
export type Key = { readonly pk: string; readonly sk: string };

export interface Update {
  readonly expression: string;
  /** Without a condition, the update is always made, and creates the item if there is none. */
  readonly condition?: string;
  readonly values?: Item;
  /** Names of attributes that are reserved words in expressions. */
  readonly names?: Readonly<Record<string, string>>;
}

interface IndexQuery {
  readonly index: LedgerIndex;
  readonly value: string;
  /** Only so many of the newest items. @default - all of them */
  readonly newest?: number;
}

/** The calls that the ledger makes. Every read is strongly consistent, except that of an index. */
export interface Table {
  readonly name: string;
  get(key: Key): Promise<Item | null>;
  /** The items whose sort key begins with `prefix`, in the order of their sort keys. */
  list(pk: string, prefix: string): Promise<Item[]>;
  /** All items with this partition key, in the order of their sort keys. They are read in the opposite order. */
  listAll(pk: string): Promise<Item[]>;
  /** The last one of the items whose sort key begins with `prefix`. */
  findLast(pk: string, prefix: string): Promise<Item | null>;
  /** The items of an index with this value of its key. The newest come first when a number of them is asked for. */
  listIndex(query: IndexQuery): Promise<Item[]>;
  /** Stores a new item. One that is there already stays as it is, because somebody may have changed it since. */
  put(item: Key & Item): Promise<void>;
  /** Answers the item's new state, or `null` when the condition does not hold. */
  update(key: Key, update: Update): Promise<Item | null>;
}

export function openTable(client: DynamoDBDocumentClient, TableName: string): Table {
  return {
    name: TableName,

    async get(Key) {
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item ?? null;
    },

    list: (pk, prefix) => query(client, { TableName, ...beginsWith(pk, prefix) }),

    async listAll(pk) {
      const items = await query(client, {
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ScanIndexForward: false,
      });
      return items.reverse();
    },

    async findLast(pk, prefix) {
      const newest = { ScanIndexForward: false, Limit: 1 };
      const [item] = await query(client, { TableName, ...beginsWith(pk, prefix), ...newest }, 1);
      return item ?? null;
    },

    listIndex: ({ index, value, newest }) =>
      query(
        client,
        {
          TableName,
          IndexName: index.name,
          KeyConditionExpression: '#key = :value',
          ExpressionAttributeNames: { '#key': index.key },
          ExpressionAttributeValues: { ':value': value },
          ...(newest !== undefined && { ScanIndexForward: false, Limit: newest }),
        },
        newest,
      ),

    async put(Item) {
      const put = new PutCommand({
        TableName,
        Item,
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      try {
        await client.send(put);
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },

    async update(Key, { expression, condition, values, names }) {
      const update = new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: expression,
        ...(condition === undefined ? {} : { ConditionExpression: condition }),
        ...(values === undefined ? {} : { ExpressionAttributeValues: values }),
        ...(names === undefined ? {} : { ExpressionAttributeNames: names }),
        ReturnValues: 'ALL_NEW',
      });
      try {
        const { Attributes = {} } = await client.send(update);
        return Attributes;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return null;
        throw error;
      }
    },
  };
}

function beginsWith(pk: string, prefix: string) {
  return {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
  };
}

async function query(
  client: DynamoDBDocumentClient,
  input: QueryCommandInput,
  most = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { Items = [] } of paginateQuery({ client }, input)) {
    items.push(...Items);
    if (items.length >= most) return items.slice(0, most);
  }
  return items;
}
