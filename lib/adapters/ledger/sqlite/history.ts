import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { decodeRecord, parseStored } from '../../../contract/ledger/envelope.ts';
import { outcomeRecord, requestRecord } from '../../../contract/ledger/records.ts';
import type { RolloutSummary } from '../../../domain/rollout/record.ts';
import type { RolloutQuery } from '../../../ports/ledger.ts';
import { toSummary } from '../rollout-summary.ts';

// Every function here runs inside the caller's transaction.

export function listRollouts(
  database: DatabaseSync,
  { runtimeId, limit }: RolloutQuery,
): readonly RolloutSummary[] {
  const rows = database
    .prepare(
      `SELECT request, outcome, started_at, ended_at FROM rollout
       WHERE ?1 IS NULL OR runtime_id = ?1
       ORDER BY started_at DESC, rollout_id LIMIT ?2`,
    )
    .all(runtimeId ?? null, limit);
  return parseStored(summaryRows, rows).map(({ request, outcome, started_at, ended_at }) => {
    return toSummary(decodeRecord(requestRecord, request), {
      startedAt: started_at,
      endedAt: ended_at,
      outcome: outcome === null ? null : decodeRecord(outcomeRecord, outcome),
    });
  });
}

const summaryRows = z.array(
  z.object({
    request: z.string(),
    outcome: z.string().nullable(),
    started_at: z.number(),
    ended_at: z.number().nullable(),
  }),
);
