import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  journalRecord,
  outcomeRecord,
  progressRecord,
  requestRecord,
} from '../../contract/ledger-record.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { JournalEntry, Lease, RolloutRecord } from '../../domain/rollout.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { openRollout, releaseLease, renewLease } from './dynamodb-lease.ts';
import { joinParts, pack, putParts, unpack } from './dynamodb-parts.ts';
import { freezePlan, readPlan } from './dynamodb-plan.ts';
import {
  assertOpen,
  findRollout,
  parseRollout,
  rolloutKey,
  updateOpen,
} from './dynamodb-rollout.ts';
import { openTable, type Table } from './dynamodb-table.ts';
import { asLedgerError, rolloutNotFound } from './ledger-errors.ts';

export interface DynamoDbLedgerOptions {
  /** A table with the keys `pk` (partition) and `sk` (sort), both strings. */
  readonly tableName: string;
  readonly client: DynamoDBDocumentClient;
}

/**
 * A ledger in one DynamoDB table, for any number of writers on any number of machines.
 *
 * | `pk`           | `sk`                      | what                                              |
 * |----------------|---------------------------|---------------------------------------------------|
 * | `runtime#<id>` | `lease`                   | who holds the runtime's lease                     |
 * | `rollout#<id>` | `rollout`                 | request, progress, outcome, and where the plan is |
 * | `rollout#<id>` | `plan#<uuid>#<part>`      | the plan                                          |
 * | `rollout#<id>` | `journal#<number>#<part>` | the entries of one `append`                       |
 *
 * There are no transactions: whoever takes a lease over first marks the old holder's rollout item, and
 * every write of a rollout has to find that item neither marked nor closed. So concurrent batches of one
 * rollout never cancel each other, and a plan may have any size. What it leaves open: entries that were
 * on their way when the lease was lost may reach the journal, but their `append` throws `LeaseLost`.
 *
 * The SDK's own retries of throttled and failed calls suffice, because each call here may be made twice:
 * what was stored by the first is found and accepted as our own. What is left after them is
 * `LedgerUnavailable`.
 */
export function createDynamoDbLedger({ tableName, client }: DynamoDbLedgerOptions): Ledger {
  const table = openTable(client, tableName);
  const guarded = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw asLedgerError(error, `The ledger table ${tableName}`);
    }
  };

  return {
    open: (request, now, leaseUntil) => guarded(openRollout(table, request, now, leaseUntil)),
    renew: (lease, leaseUntil) => guarded(renewLease(table, lease, leaseUntil)),
    freezePlan: (lease, plan) => guarded(freezePlan(table, lease, plan)),
    append: (lease, entries) => guarded(append(table, lease, entries)),
    saveProgress: (lease, progress) =>
      guarded(
        updateOpen(table, lease, 'SET progressData = :progress', { ':progress': pack(progress) }),
      ).then(() => undefined),
    read: (rolloutId) => guarded(readRollout(table, rolloutId)),
    close: (rolloutId, outcome, now) => guarded(closeRollout(table, rolloutId, outcome, now)),
  };
}

async function append(table: Table, lease: Lease, entries: readonly JournalEntry[]): Promise<void> {
  // A number from the table, not the time, gives the order: clocks differ and step back.
  const { journalSeq } = await updateOpen(table, lease, 'ADD journalSeq :one', { ':one': 1 });
  await putParts(
    table,
    rolloutKey(lease.rolloutId).pk,
    `journal#${String(journalSeq).padStart(12, '0')}#`,
    entries,
  );
  // The caller's next act may be a write to the service: a process that slept until now must not make it.
  await assertOpen(table, lease);
}

async function readRollout(table: Table, rolloutId: string): Promise<RolloutRecord> {
  const rollout = await findRollout(table, rolloutId);
  if (rollout === null) {
    throw rolloutNotFound(rolloutId);
  }
  const { planId, progressData, outcomeData } = rollout;
  const [plan, journal] = await Promise.all([
    planId === undefined ? null : readPlan(table, rolloutId, planId),
    table.list(rolloutKey(rolloutId).pk, 'journal#'),
  ]);
  return {
    request: unpack(requestRecord, rollout.requestData),
    epoch: rollout.epoch,
    startedAt: rollout.startedAt,
    plan,
    progress: progressData === undefined ? null : unpack(progressRecord, progressData),
    journal: joinParts(journalRecord, journal).flat(),
    outcome: outcomeData === undefined ? null : unpack(outcomeRecord, outcomeData),
    endedAt: rollout.endedAt ?? null,
  };
}

async function closeRollout(
  table: Table,
  rolloutId: string,
  outcome: Outcome,
  now: number,
): Promise<Outcome> {
  const packed = pack(outcome);
  const item = await table.update(rolloutKey(rolloutId), {
    expression:
      'SET outcomeData = if_not_exists(outcomeData, :outcome), endedAt = if_not_exists(endedAt, :now)',
    condition: 'attribute_exists(requestData)',
    values: { ':outcome': packed, ':now': now },
  });
  if (item === null) {
    throw rolloutNotFound(rolloutId);
  }
  const { runtimeId, epoch, outcomeData = packed } = parseRollout(item);
  // Also when the outcome was there already: whoever stored it may have died before this.
  await releaseLease(table, { runtimeId, rolloutId, epoch });
  return unpack(outcomeRecord, outcomeData);
}
