import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  type NativeAttributeValue,
  PutCommand,
  paginateQuery,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

export type Item = Record<string, NativeAttributeValue>;
export type Key = { readonly pk: string; readonly sk: string };

export interface Update {
  readonly expression: string;
  /** Left out: the update is made whatever is stored, and creates the item where there is none. */
  readonly condition?: string;
  readonly values?: Item;
}

/** The four calls that the ledger makes. Every read is strongly consistent. */
export interface Table {
  get(key: Key): Promise<Item | null>;
  /** The items whose sort key begins with `prefix`, in the order of their sort keys. */
  list(pk: string, prefix: string): Promise<Item[]>;
  put(item: Key & Item): Promise<void>;
  /** Answers the item's new state, or `null` when the condition does not hold. */
  update(key: Key, update: Update): Promise<Item | null>;
}

export function openTable(client: DynamoDBDocumentClient, TableName: string): Table {
  return {
    async get(Key) {
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item ?? null;
    },

    async list(pk, prefix) {
      const pages = paginateQuery(
        { client },
        {
          TableName,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
          ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
        },
      );
      const items: Item[] = [];
      for await (const { Items = [] } of pages) {
        items.push(...Items);
      }
      return items;
    },

    async put(Item) {
      await client.send(new PutCommand({ TableName, Item }));
    },

    async update(Key, { expression, condition, values }) {
      const update = new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: expression,
        ...(condition === undefined ? {} : { ConditionExpression: condition }),
        ...(values === undefined ? {} : { ExpressionAttributeValues: values }),
        ReturnValues: 'ALL_NEW',
      });
      try {
        const { Attributes = {} } = await client.send(update);
        return Attributes;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) {
          return null;
        }
        throw error;
      }
    },
  };
}
