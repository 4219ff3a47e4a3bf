import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import { openTable, type Table } from '../ledger/dynamodb/table.ts';

export function connectTable(name: string): Table {
  const client = new DynamoDBClient({ requestHandler: AWS_TIMEOUTS });
  return openTable(DynamoDBDocumentClient.from(client), name);
}
