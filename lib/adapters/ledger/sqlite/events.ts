import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { decodeRecord, encodeRecord, parseStored } from '../../../contract/ledger/envelope.ts';
import { eventRecord } from '../../../contract/ledger/records.ts';
import { eventIdOf, type RolloutEvent } from '../../../domain/rollout/event.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { RolloutRecord } from '../../../domain/rollout/record.ts';
import { assertLease } from './lease.ts';

// Every function here runs inside the caller's transaction.

export function recordEvent(database: DatabaseSync, lease: Lease, event: RolloutEvent): void {
  assertLease(database, lease);
  database
    .prepare('INSERT OR IGNORE INTO event (rollout_id, event_id, event) VALUES (?, ?, ?)')
    .run(lease.rolloutId, event.eventId, encodeRecord(event));
}

export function markSent(
  database: DatabaseSync,
  rolloutId: string,
  eventIds: readonly string[],
): void {
  const mark = database.prepare(
    'UPDATE event SET is_sent = 1 WHERE rollout_id = ? AND event_id = ?',
  );
  for (const eventId of eventIds) mark.run(rolloutId, eventId);
  if (!eventIds.includes(eventIdOf(rolloutId, 'ended'))) return;
  database
    .prepare('UPDATE rollout SET end_sent = 1 WHERE rollout_id = ? AND outcome IS NOT NULL')
    .run(rolloutId);
}

export function listUnsent(database: DatabaseSync): readonly string[] {
  const rows = database
    .prepare(
      `SELECT rollout_id FROM event WHERE is_sent = 0
       UNION SELECT rollout_id FROM rollout WHERE outcome IS NOT NULL AND end_sent = 0`,
    )
    .all();
  return parseStored(rolloutIds, rows).map(({ rollout_id }) => rollout_id);
}

/** The part of a rollout's record that is about its events. */
export function readEvents(
  database: DatabaseSync,
  rolloutId: string,
  isEndUnsent: boolean,
): Pick<RolloutRecord, 'events' | 'unsent'> {
  const rows = parseStored(
    eventRows,
    database
      .prepare('SELECT event, is_sent FROM event WHERE rollout_id = ? ORDER BY event_id')
      .all(rolloutId),
  );
  const events = rows.flatMap(({ event: text, is_sent }) => {
    const event = decodeRecord(eventRecord, text);
    return event === null ? [] : [{ event, isSent: is_sent === 1 }];
  });
  const unsent = events.filter(({ isSent }) => !isSent).map(({ event }) => event.eventId);
  return {
    events: events.map(({ event }) => event),
    unsent: isEndUnsent ? [...unsent, eventIdOf(rolloutId, 'ended')] : unsent,
  };
}

const rolloutIds = z.array(z.object({ rollout_id: z.string() }));
const eventRows = z.array(z.object({ event: z.string(), is_sent: z.number() }));
