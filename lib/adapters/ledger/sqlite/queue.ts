import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { type NewestWish, replacesWish } from '../../../domain/turn/queue.ts';

// Every function here runs inside the caller's transaction.

export function recordWish(database: DatabaseSync, wish: NewestWish, now: number): void {
  const newest = findNewestWish(database, wish);
  if (newest !== null && !replacesWish(wish, newest, now)) return;
  const { runtimeId, endpointUrl, rolloutId, desiredVersion, at, wakesAt } = wish;
  database
    .prepare(
      `INSERT OR REPLACE INTO wish (runtime_id, endpoint_url, rollout_id, version, at, wakes_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(runtimeId, endpointUrl, rolloutId, desiredVersion, at, wakesAt);
}

export function findNewestWish(
  database: DatabaseSync,
  { runtimeId, endpointUrl }: Pick<NewestWish, 'runtimeId' | 'endpointUrl'>,
): NewestWish | null {
  const row = database
    .prepare('SELECT * FROM wish WHERE runtime_id = ? AND endpoint_url = ?')
    .get(runtimeId, endpointUrl);
  if (row === undefined) return null;
  const { rollout_id, version, at, wakes_at } = parseStored(wishRow, row);
  return {
    runtimeId,
    endpointUrl,
    rolloutId: rollout_id,
    desiredVersion: version,
    at,
    wakesAt: wakes_at,
  };
}

const wishRow = z.object({
  rollout_id: z.string(),
  version: z.number(),
  at: z.number(),
  wakes_at: z.number().nullable(),
});
