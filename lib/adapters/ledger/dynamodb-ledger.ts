import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Ledger } from '../../ports/ledger.ts';
import { openTable } from './dynamodb-table.ts';
import { createTableLedger } from './table-ledger.ts';

export interface DynamoDbLedgerOptions {
  /** A table with the keys `pk` (partition) and `sk` (sort), both strings, and the indexes `LEDGER_INDEXES`. */
  readonly tableName: string;
  readonly client: DynamoDBDocumentClient;
}

/** The ledger in the table of this name, over a client that is open already. */
export function createDynamoDbLedger({ tableName, client }: DynamoDbLedgerOptions): Ledger {
  return createTableLedger(openTable(client, tableName));
}
