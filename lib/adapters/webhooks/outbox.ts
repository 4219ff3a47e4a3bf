import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, openDatabase, remedyFor } from '../ledger/sqlite/database.ts';
import { thisProcess } from '../ledger/sqlite/lease-owner.ts';
import { isBusy, lockedError } from '../ledger/sqlite/lock.ts';
import { asLedgerError } from '../ledger/storage-errors.ts';

export interface Message {
  readonly eventId: string;
  /** The event, from `toBusText`. */
  readonly text: string;
}

/**
 * What webhooks are to get, in the file of the ledger, so that it outlives the process. A webhook is known by a key.
 * All methods throw the errors of SQLite. Times are milliseconds since the Unix epoch.
 */
export interface Outbox {
  /**
   * Adds an event for each of these webhooks at the end. A webhook that has it, or that got it in the last seven days,
   * does not get it once more, whoever adds it. Answers whether it is new to one of them, how many older messages had to
   * go, because there were too many, and how many were kept long enough.
   */
  put(
    webhooks: readonly string[],
    message: Message & { readonly at: number },
    now: number,
  ): { readonly isNew: boolean; readonly dropped: number; readonly expired: number };
  /**
   * A message, for this process alone for a minute: this one, or the first one whose id begins with none of these.
   * `held`: another process sends. `null`: there is none.
   */
  take(
    webhook: string,
    which: { readonly eventId: string } | { readonly passedOver: readonly string[] },
    now: number,
  ): Message | 'held' | null;
  /** The message was delivered, or will never be. */
  settle(webhook: string, eventId: string): void;
  /** Other processes may send to this webhook at once. */
  release(webhook: string): void;
  /** How many messages a webhook is still to get, whoever has added them. */
  count(webhook: string, now: number): number;
  close(): void;
}

export const KEPT_DAYS = 7;
const KEPT_MS = KEPT_DAYS * 24 * 3600 * 1000;
/** For each webhook. */
export const MOST_MESSAGES = 1_000;
/** Longer than a try takes. A process that is gone is known to be gone before that. */
const SENDING_MS = 60_000;

// A message that was delivered stays for a while without its text, so that nobody adds it once more.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS webhook_message (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook  TEXT NOT NULL,
    event_id TEXT NOT NULL,
    at       INTEGER NOT NULL,
    text     TEXT,
    UNIQUE (webhook, event_id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS unsent_message ON webhook_message (webhook, seq) WHERE text IS NOT NULL;
  CREATE INDEX IF NOT EXISTS old_message ON webhook_message (at);
  CREATE TABLE IF NOT EXISTS webhook_sender (
    webhook TEXT PRIMARY KEY,
    owner   TEXT NOT NULL,
    until   INTEGER NOT NULL
  ) STRICT;
`;

/**
 * @param file That of the ledger.
 * @param owner Who sends. @default - this process
 * @throws `LedgerUnavailable`, and what `openDatabase` throws.
 */
export function openOutbox(file: string, owner = thisProcess()): Outbox {
  const database = open(file);
  const all = <T>(work: () => T) => inTransaction(database, work);
  return {
    put: (webhooks, message, now) =>
      all(() => {
        const expired = forgetOld(database, now);
        if (message.at < now - KEPT_MS) return { isNew: false, dropped: 0, expired };
        let isNew = false;
        let dropped = 0;
        for (const webhook of webhooks) {
          const { eventId, at, text } = message;
          const added = database.prepare(ADD).run(webhook, eventId, at, text).changes;
          if (added === 0) continue;
          isNew = true;
          dropped += Number(database.prepare(DROP).run(webhook).changes);
        }
        return { isNew, dropped, expired };
      }),
    take: (webhook, which, now) =>
      all(() => {
        const since = now - KEPT_MS;
        const first =
          'eventId' in which
            ? database.prepare(ONE).get(webhook, since, which.eventId)
            : database.prepare(FIRST).get(webhook, since, JSON.stringify(which.passedOver));
        if (first === undefined) return null;
        const sender = database.prepare(SENDER).get(webhook);
        const isFree =
          sender === undefined ||
          sender.owner === owner.name ||
          Number(sender.until) < now ||
          owner.isGone(String(sender.owner));
        if (!isFree) return 'held';
        database.prepare(CLAIM).run(webhook, owner.name, now + SENDING_MS);
        return { eventId: String(first.event_id), text: String(first.text) };
      }),
    settle: (webhook, eventId) => void database.prepare(SETTLE).run(webhook, eventId),
    release: (webhook) => void database.prepare(RELEASE).run(webhook, owner.name),
    count: (webhook, now) =>
      Number(database.prepare(COUNT).get(webhook, now - KEPT_MS)?.messages ?? 0),
    close: () => database.close(),
  };
}

function open(file: string): DatabaseSync {
  try {
    return openDatabase(file, SCHEMA);
  } catch (error) {
    const where = `What webhooks are to get, in ${file}`;
    throw isBusy(error)
      ? lockedError(error, where, file)
      : asLedgerError(error, where, remedyFor(error));
  }
}

/** Answers how many of them no webhook has taken. */
function forgetOld(database: DatabaseSync, now: number): number {
  const expired = database.prepare(EXPIRED).get(now - KEPT_MS)?.messages ?? 0;
  database.prepare('DELETE FROM webhook_message WHERE at < ?').run(now - KEPT_MS);
  return Number(expired);
}

const ADD = `INSERT INTO webhook_message (webhook, event_id, at, text) VALUES (?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const DROP = `UPDATE webhook_message SET text = NULL
  WHERE webhook = ?1 AND text IS NOT NULL AND seq <= (
    SELECT seq FROM webhook_message WHERE webhook = ?1 AND text IS NOT NULL
    ORDER BY seq DESC LIMIT 1 OFFSET ${MOST_MESSAGES})`;
const EXPIRED =
  'SELECT count(*) AS messages FROM webhook_message WHERE at < ? AND text IS NOT NULL';
const UNSENT = `SELECT event_id, text FROM webhook_message
  WHERE webhook = ? AND text IS NOT NULL AND at >= ?`;
const ONE = `${UNSENT} AND event_id = ?`;
const FIRST = `${UNSENT} AND NOT EXISTS (
    SELECT 1 FROM json_each(?) WHERE substr(event_id, 1, length(value)) = value)
  ORDER BY seq LIMIT 1`;
const SENDER = 'SELECT owner, until FROM webhook_sender WHERE webhook = ?';
const CLAIM = `INSERT INTO webhook_sender VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET owner = excluded.owner, until = excluded.until`;
const SETTLE = 'UPDATE webhook_message SET text = NULL WHERE webhook = ? AND event_id = ?';
const RELEASE = 'DELETE FROM webhook_sender WHERE webhook = ? AND owner = ?';
const COUNT = `SELECT count(*) AS messages FROM webhook_message
  WHERE webhook = ? AND text IS NOT NULL AND at >= ?`;
