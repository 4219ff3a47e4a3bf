import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { parseStored } from '../../contract/ledger-record.ts';
import { replacesWish } from '../../domain/turn/is-newer.ts';
import type { NewestWish } from '../../domain/turn/newest-wish.ts';

// Every function here runs inside the caller's transaction.

export function recordWish(database: DatabaseSync, wish: NewestWish, now: number): void {
  const newest = findNewestWish(database, wish.runtimeId);
  if (newest !== null && !replacesWish(wish, newest, now)) return;
  const { runtimeId, rolloutId, desiredVersion, at, since, wakesAt } = wish;
  database
    .prepare(
      `INSERT OR REPLACE INTO wish (runtime_id, rollout_id, version, at, since, wakes_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(runtimeId, rolloutId, desiredVersion, at, since, wakesAt);
}

export function findNewestWish(database: DatabaseSync, runtimeId: string): NewestWish | null {
  const row = database.prepare('SELECT * FROM wish WHERE runtime_id = ?').get(runtimeId);
  if (row === undefined) return null;
  const { rollout_id, version, at, since, wakes_at } = parseStored(wishRow, row);
  return {
    runtimeId,
    rolloutId: rollout_id,
    desiredVersion: version,
    at,
    since,
    wakesAt: wakes_at,
  };
}

const wishRow = z.object({
  rollout_id: z.string(),
  version: z.number(),
  at: z.number(),
  since: z.number(),
  wakes_at: z.number().nullable(),
});
