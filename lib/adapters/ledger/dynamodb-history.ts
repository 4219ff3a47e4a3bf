import * as z from 'zod';
import { outcomeRecord, parseStored, requestRecord } from '../../contract/ledger-record.ts';
import { HISTORY_INDEX, LISTED_IN_ALL, RUNTIME_INDEX } from '../../contract/ledger-table.ts';
import type { QueuedRollout, RolloutSummary } from '../../domain/rollout.ts';
import type { RolloutQuery } from '../../ports/ledger.ts';
import { unpack } from './dynamodb-parts.ts';
import type { Key, Table } from './dynamodb-table.ts';

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
    ({ requestData, outcomeData, startedAt, endedAt = null }) => {
      const { rolloutId, runtimeId, desiredVersion, startedBy } = unpack(
        requestRecord,
        requestData,
      );
      const outcome = outcomeData === undefined ? null : unpack(outcomeRecord, outcomeData);
      return { rolloutId, runtimeId, desiredVersion, startedBy, startedAt, endedAt, outcome };
    },
  );
}

/** The later wish is the newer one; of two at the same time, the one for the higher version. */
export async function queueRollout(table: Table, queued: QueuedRollout): Promise<QueuedRollout> {
  const key = queueKey(queued.runtimeId);
  await table.update(key, {
    expression: 'SET queuedId = :rolloutId, queuedVersion = :version, queuedAt = :at',
    condition:
      'attribute_not_exists(pk) OR queuedAt < :at OR (queuedAt = :at AND queuedVersion < :version)',
    values: {
      ':rolloutId': queued.rolloutId,
      ':version': queued.desiredVersion,
      ':at': queued.at,
    },
  });
  const newest = parseStored(queuedItem, await table.get(key));
  return {
    runtimeId: queued.runtimeId,
    rolloutId: newest.queuedId,
    desiredVersion: newest.queuedVersion,
    at: newest.queuedAt,
  };
}

function queueKey(runtimeId: string): Key {
  return { pk: `runtime#${runtimeId}`, sk: 'queued' };
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
const queuedItem = z.object({
  queuedId: z.string(),
  queuedVersion: z.number(),
  queuedAt: z.number(),
});
