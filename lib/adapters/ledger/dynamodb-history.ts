import * as z from 'zod';
import { outcomeRecord, parseStored, requestRecord } from '../../contract/ledger-record.ts';
import { HISTORY_INDEX, LISTED_IN_ALL, RUNTIME_INDEX } from '../../contract/ledger-table.ts';
import type { RolloutSummary } from '../../domain/rollout.ts';
import type { RolloutQuery } from '../../ports/ledger.ts';
import { unpack } from './dynamodb-parts.ts';
import type { Table } from './dynamodb-table.ts';
import { toSummary } from './rollout-summary.ts';

export async function listRollouts(
  table: Table,
  { runtimeId, limit: newest }: RolloutQuery,
): Promise<readonly RolloutSummary[]> {
  const items = await table.listIndex(
    runtimeId === undefined
      ? { index: HISTORY_INDEX, value: LISTED_IN_ALL, newest }
      : { index: RUNTIME_INDEX, value: runtimeId, newest },
  );
  return parseStored(summaryItems, items).map(
    ({ requestData, outcomeData, startedAt, endedAt = null }) =>
      toSummary(unpack(requestRecord, requestData), {
        startedAt,
        endedAt,
        outcome: outcomeData === undefined ? null : unpack(outcomeRecord, outcomeData),
      }),
  );
}

const packed = z.instanceof(Uint8Array);
const summaryItems = z.array(
  z.object({
    requestData: packed,
    outcomeData: packed.optional(),
    startedAt: z.number(),
    endedAt: z.number().optional(),
  }),
);
