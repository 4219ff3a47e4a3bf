import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { RemoteStorage } from '../../ledger/storage.ts';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import { openTable } from '../ledger/dynamodb/storage.ts';

export function connectTable(name: string): RemoteStorage {
  const client = new DynamoDBClient({ requestHandler: AWS_TIMEOUTS });
  return openTable(DynamoDBDocumentClient.from(client), name);
}
