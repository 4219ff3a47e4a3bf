import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { type LatestRequest, replacesLatest } from '../../../domain/turn/queue.ts';

// Every function here runs inside the caller's transaction.

export function recordLatestRequest(
  database: DatabaseSync,
  request: LatestRequest,
  now: number,
): void {
  const newest = findLatestRequest(database, request);
  if (newest !== null && !replacesLatest(request, newest, now)) return;
  const { runtimeId, endpointUrl, rolloutId, desiredVersion, at, wakesAt } = request;
  database
    .prepare(
      `INSERT OR REPLACE INTO latest_request (runtime_id, endpoint_url, rollout_id, version, at, wakes_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(runtimeId, endpointUrl, rolloutId, desiredVersion, at, wakesAt);
}

export function findLatestRequest(
  database: DatabaseSync,
  { runtimeId, endpointUrl }: Pick<LatestRequest, 'runtimeId' | 'endpointUrl'>,
): LatestRequest | null {
  const row = database
    .prepare('SELECT * FROM latest_request WHERE runtime_id = ? AND endpoint_url = ?')
    .get(runtimeId, endpointUrl);
  if (row === undefined) return null;
  const { rollout_id, version, at, wakes_at } = parseStored(latestRow, row);
  return {
    runtimeId,
    endpointUrl,
    rolloutId: rollout_id,
    desiredVersion: version,
    at,
    wakesAt: wakes_at,
  };
}

const latestRow = z.object({
  rollout_id: z.string(),
  version: z.number(),
  at: z.number(),
  wakes_at: z.number().nullable(),
});
