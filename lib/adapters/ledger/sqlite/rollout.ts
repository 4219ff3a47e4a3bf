import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { decodeRecord, encodeRecord, parseStored } from '../../../contract/ledger/envelope.ts';
import {
  journalRecord,
  outcomeRecord,
  planRecord,
  progressRecord,
  requestRecord,
  rollbackRecord,
  signalRecord,
  understandsRecord,
} from '../../../contract/ledger/records.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { Outcome } from '../../../domain/rollout/outcome.ts';
import type { Rollback, RolloutPlan } from '../../../domain/rollout/plan.ts';
import type { AskedRollout, RolloutSummary, Signal } from '../../../domain/rollout/record.ts';
import { wordsOf } from '../../../domain/signals/signals.ts';
import type { RolloutQuery } from '../../../ports/ledger.ts';
import { notUnderstood, rolloutClosed, rolloutNotFound } from '../ledger-errors.ts';
import { toSummary } from '../rollout-summary.ts';
import { readEvents } from './events.ts';
import { assertLease, releaseLease } from './lease.ts';

const decodeRequests = rememberDecoded(requestRecord);
const decodePlans = rememberDecoded(planRecord);
const decodeRollbacks = rememberDecoded(rollbackRecord);
const decodeProgress = rememberDecoded(progressRecord);
const decodeJournal = rememberDecoded(journalRecord);

// Every function here runs inside the caller's transaction.

export function freezePlan(database: DatabaseSync, lease: Lease, plan: RolloutPlan): RolloutPlan {
  return freeze(database, lease, 'plan', planRecord, plan);
}

export function freezeRollback(database: DatabaseSync, lease: Lease, rollback: Rollback): Rollback {
  return freeze(database, lease, 'rollback', rollbackRecord, rollback);
}

function freeze<T>(
  database: DatabaseSync,
  lease: Lease,
  column: 'plan' | 'rollback',
  schema: z.ZodType<T>,
  value: T,
): T {
  assertLease(database, lease);
  const frozen = findRollout(database, lease.rolloutId)?.[column];
  if (typeof frozen === 'string') return decodeRecord(schema, frozen);
  database
    .prepare(`UPDATE rollout SET ${column} = ? WHERE rollout_id = ?`)
    .run(encodeRecord(value), lease.rolloutId);
  return value;
}

export function addSignal(database: DatabaseSync, rolloutId: string, signal: Signal): void {
  const row = findRollout(database, rolloutId);
  if (row === null) throw rolloutNotFound(rolloutId);
  if (row.outcome !== null) throw rolloutClosed(rolloutId);
  const understands = decodeRecord(understandsRecord, row.understands);
  if (!wordsOf(signal).every((word) => understands.includes(word))) {
    throw notUnderstood(rolloutId, signal);
  }
  database
    .prepare('INSERT INTO signal (rollout_id, signal) VALUES (?, ?)')
    .run(rolloutId, encodeRecord(signal));
}

export function readSignals(database: DatabaseSync, rolloutId: string): Signal[] {
  const rows = parseStored(
    signalRows,
    database.prepare('SELECT signal FROM signal WHERE rollout_id = ? ORDER BY seq').all(rolloutId),
  );
  return rows.flatMap(({ signal }) => decodeRecord(signalRecord, signal) ?? []);
}

export function readRollout(database: DatabaseSync, rolloutId: string): AskedRollout {
  const row = findRollout(database, rolloutId);
  if (row === null) throw rolloutNotFound(rolloutId);
  const journal = parseStored(
    journalRows,
    database
      .prepare('SELECT entries FROM journal WHERE rollout_id = ? ORDER BY seq')
      .all(rolloutId),
  );
  const [plan = null] = decodePlans(row.plan === null ? [] : [row.plan]);
  const [rollback = null] = decodeRollbacks(row.rollback === null ? [] : [row.rollback]);
  const [progress = null] = decodeProgress(row.progress === null ? [] : [row.progress]);
  const [{ request, waiting }] = decodeRequests([row.request]);
  return {
    request,
    epoch: row.epoch,
    startedAt: row.started_at,
    waiting: row.outcome === null ? waiting : null,
    plan,
    rollback,
    progress,
    journal: decodeJournal(journal.map(({ entries }) => entries)).flat(),
    signals: readSignals(database, rolloutId),
    ...readEvents(database, rolloutId, row.outcome !== null && row.end_sent === 0),
    outcome: row.outcome === null ? null : decodeRecord(outcomeRecord, row.outcome),
    endedAt: row.ended_at,
  };
}

export function closeRollout(
  database: DatabaseSync,
  rolloutId: string,
  outcome: Outcome,
  now: number,
  signalsRead?: number,
): Outcome | null {
  const row = findRollout(database, rolloutId);
  if (row === null) throw rolloutNotFound(rolloutId);
  if (row.outcome !== null) return decodeRecord(outcomeRecord, row.outcome);
  if (signalsRead !== undefined && readSignals(database, rolloutId).length > signalsRead)
    return null;
  database
    .prepare('UPDATE rollout SET outcome = ?, ended_at = ? WHERE rollout_id = ?')
    .run(encodeRecord(outcome), now, rolloutId);
  releaseLease(database, row.runtime_id, rolloutId);
  return outcome;
}

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
  return parseStored(summaryRows, rows).map(summaryOf);
}

export function readSummary(database: DatabaseSync, rolloutId: string): RolloutSummary | null {
  const row = findRollout(database, rolloutId);
  return row === null ? null : summaryOf(row);
}

function summaryOf({ request, outcome, started_at, ended_at }: SummaryRow): RolloutSummary {
  return toSummary(decodeRecord(requestRecord, request), {
    startedAt: started_at,
    endedAt: ended_at,
    outcome: outcome === null ? null : decodeRecord(outcomeRecord, outcome),
  });
}

const rolloutRow = z.object({
  runtime_id: z.string(),
  epoch: z.number(),
  started_at: z.number(),
  request: z.string(),
  understands: z.string(),
  plan: z.string().nullable(),
  rollback: z.string().nullable(),
  progress: z.string().nullable(),
  outcome: z.string().nullable(),
  ended_at: z.number().nullable(),
  end_sent: z.number(),
});

const summaryRow = rolloutRow.pick({
  request: true,
  outcome: true,
  started_at: true,
  ended_at: true,
});
type SummaryRow = z.infer<typeof summaryRow>;
const summaryRows = z.array(summaryRow);

const journalRows = z.array(z.object({ entries: z.string() }));
const signalRows = z.array(z.object({ signal: z.string() }));

export function findRollout(
  database: DatabaseSync,
  rolloutId: string,
): z.infer<typeof rolloutRow> | null {
  const row = database.prepare('SELECT * FROM rollout WHERE rollout_id = ?').get(rolloutId);
  return row === undefined ? null : parseStored(rolloutRow, row);
}

/**
 * A decoder that decodes no text again that the previous read had at the same place. The plan and the journal of
 * 10,000 endpoints are read at every step of their rollout.
 */
export function rememberDecoded<T>(schema: z.ZodType<T>) {
  let before: readonly { readonly text: string; readonly value: T }[] = [];
  return <const Texts extends readonly string[]>(texts: Texts) => {
    before = texts.map((text, index) => {
      const known = before[index];
      return known?.text === text ? known : { text, value: decodeRecord(schema, text) };
    });
    return before.map(({ value }) => value) as { readonly [Index in keyof Texts]: T };
  };
}
