import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Ledger } from '../../ports/ledger.ts';
import { createDynamoDbLedger } from '../ledger/dynamodb-ledger.ts';
import { AWS_TIMEOUTS } from './aws-timeouts.ts';

/** The ledger of a function, in the table of this name. */
export function openLedger(tableName: string): Ledger {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ requestHandler: AWS_TIMEOUTS }));
  return createDynamoDbLedger({ tableName, client });
}
