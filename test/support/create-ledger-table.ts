import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HELD_INDEX } from '../../lib/contract/ledger-table.ts';

/** The ledger's table, as the stack creates it. */
export async function createLedgerTable(client: DynamoDBClient, tableName: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk', HELD_INDEX.key].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: HELD_INDEX.name,
          KeySchema: [{ AttributeName: HELD_INDEX.key, KeyType: 'HASH' }],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...HELD_INDEX.attributes] },
        },
      ],
    }),
  );
}
