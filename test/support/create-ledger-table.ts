import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LEDGER_INDEXES } from '../../lib/contract/ledger/table.ts';

/** The ledger's table, as the stack creates it. */
export async function createLedgerTable(client: DynamoDBClient, tableName: string): Promise<void> {
  const strings = ['pk', 'sk', ...LEDGER_INDEXES.map(({ key }) => key)];
  const numbers = LEDGER_INDEXES.flatMap(({ sort }) => sort ?? []);
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        ...strings.map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
        ...[...new Set(numbers)].map((AttributeName) => ({
          AttributeName,
          AttributeType: 'N' as const,
        })),
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: LEDGER_INDEXES.map(({ name, key, sort, attributes }) => ({
        IndexName: name,
        KeySchema: [
          { AttributeName: key, KeyType: 'HASH' as const },
          ...(sort === undefined ? [] : [{ AttributeName: sort, KeyType: 'RANGE' as const }]),
        ],
        Projection: { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...attributes] },
      })),
    }),
  );
}
