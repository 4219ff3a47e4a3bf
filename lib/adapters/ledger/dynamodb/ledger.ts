import { outcomeRecord } from '../../../contract/ledger/records.ts';
import type { JournalEntry } from '../../../domain/endpoint/journal.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { Outcome } from '../../../domain/rollout/outcome.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import { asLedgerError, rolloutNotFound } from '../errors.ts';
import { listUnsent, markSent, recordEvent } from './events.ts';
import { listRollouts, readRollout } from './history.ts';
import {
  assertOpen,
  findRollout,
  pack,
  putParts,
  type RolloutItem,
  rolloutKey,
  storeOutcome,
  unpack,
  updateOpen,
} from './items.ts';
import {
  buryRollout,
  enlistRollout,
  findLease,
  listHeld,
  listWaiting,
  openRollout,
  releaseLease,
  renewLease,
  saveWaiting,
} from './lease.ts';
import { freezePlan, freezeRollback } from './plan.ts';
import { findLatestRequest, recordLatestRequest } from './queue.ts';
import { addSignal, hasHeard, readSignals } from './signals.ts';
import type { Table } from './table.ts';

/**
 * A ledger in one DynamoDB table, for any number of writers on any number of machines.
 *
 * | `pk`           | `sk`                      | what                                              |
 * |----------------|---------------------------|---------------------------------------------------|
 * | `runtime#<id>` | `lease`                   | who holds the runtime's lease                     |
 * | `runtime#<id>` | `wish#<endpoint URL>`     | the newest wish: of a rollout that waits, or of one that was opened |
 * | `rollout#<id>` | `rollout`                 | request, what it waits for, what people said to it, progress, outcome, and where the plan is |
 * | `rollout#<id>` | `plan#<uuid>#<part>`      | the plan, and the way back                        |
 * | `rollout#<id>` | `journal#<number>#<part>` | the entries of one `append`                       |
 * | `rollout#<id>` | `signal#<time>#<uuid>`    | what a person said to it by a steproll from before |
 * | `rollout#<id>` | `event#<id>`              | what was told of it                               |
 *
 * There are no transactions: whoever takes a lease over first marks the old holder's rollout item, and
 * every write of a rollout has to find that item neither marked nor closed. So concurrent batches of one
 * rollout never cancel each other, and a plan may have any size. What it leaves open: entries that were
 * on their way when the lease was lost may reach the journal, but their `append` throws `LeaseLost`; an event
 * that was on its way is told.
 *
 * The SDK's own retries of throttled and failed calls suffice, because each call here may be made twice:
 * what was stored by the first is found and accepted as our own. What is left after them is
 * `LedgerUnavailable`.
 */
export function createTableLedger(table: Table): Ledger {
  const guarded = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw asLedgerError(error, `The ledger table ${table.name}`);
    }
  };

  return {
    enlist: (request, waiting, now) => guarded(enlistRollout(table, request, waiting, now)),
    saveWaiting: (request, waiting) => guarded(saveWaiting(table, request, waiting)),
    listWaiting: () => guarded(listWaiting(table)),
    withdraw: (rolloutId, outcome, now) =>
      guarded(closeOnly(table, rolloutId, outcome, now, NOT_OPENED)),
    open: (request, now, leaseUntil) => guarded(openRollout(table, request, now, leaseUntil)),
    renew: (lease, leaseUntil) => guarded(renewLease(table, lease, leaseUntil)),
    freezePlan: (lease, plan) => guarded(freezePlan(table, lease, plan)),
    freezeRollback: (lease, rollback) => guarded(freezeRollback(table, lease, rollback)),
    append: (lease, entries) => guarded(append(table, lease, entries)),
    saveProgress: (lease, progress) =>
      guarded(
        updateOpen(table, lease, 'SET progressData = :progress', { ':progress': pack(progress) }),
      ).then(() => undefined),
    signal: (rolloutId, signal) => guarded(addSignal(table, rolloutId, signal)),
    readSignals: (rolloutId) => guarded(readSignals(table, rolloutId)),
    recordEvent: (lease, event) => guarded(recordEvent(table, lease, event)),
    markSent: (rolloutId, eventIds) => guarded(markSent(table, rolloutId, eventIds)),
    listUnsent: () => guarded(listUnsent(table)),
    recordLatestRequest: (request, now) => guarded(recordLatestRequest(table, request, now)),
    findLatestRequest: (of) => guarded(findLatestRequest(table, of)),
    list: (query) => guarded(listRollouts(table, query)),
    read: (rolloutId) => guarded(readRollout(table, rolloutId)),
    close: (rolloutId, outcome, now, heard) =>
      guarded(closeRollout(table, rolloutId, outcome, now, heard)),
    listHeld: () => guarded(listHeld(table)),
    bury: (rolloutId) => guarded(buryRollout(table, rolloutId)),
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

async function closeRollout(
  table: Table,
  rolloutId: string,
  outcome: Outcome,
  now: number,
  heard?: number,
): Promise<Outcome | null> {
  const only = heard === undefined ? null : await hasHeard(table, rolloutId, heard);
  return closeOnly(table, rolloutId, outcome, now, only);
}

/** `null`: the condition does not hold, and it has not ended. */
async function closeOnly(
  table: Table,
  rolloutId: string,
  outcome: Outcome,
  now: number,
  only: Parameters<typeof storeOutcome>[4],
): Promise<Outcome | null> {
  const stored = await storeOutcome(table, rolloutId, outcome, now, only);
  const rollout = stored ?? (await knownRollout(table, rolloutId));
  return rollout.outcomeData === undefined ? null : giveBack(table, rolloutId, rollout);
}

const NOT_OPENED = { condition: 'attribute_not_exists(epoch)', values: {} };

/** @throws `RolloutNotFound` */
async function knownRollout(table: Table, rolloutId: string): Promise<RolloutItem> {
  const rollout = await findRollout(table, rolloutId);
  if (rollout === null) throw rolloutNotFound(rolloutId);
  return rollout;
}

/** Also when the outcome was there already: whoever stored it may have died before this. */
async function giveBack(
  table: Table,
  rolloutId: string,
  { runtimeId, epoch, outcomeData }: RolloutItem,
): Promise<Outcome> {
  // One that was closed while it was being opened may have taken a lease that its item does not know of.
  const held = epoch > 0 ? { rolloutId, epoch } : await findLease(table, runtimeId);
  if (held?.rolloutId === rolloutId) {
    await releaseLease(table, { runtimeId, rolloutId, epoch: held.epoch });
  }
  return unpack(outcomeRecord, outcomeData as Uint8Array);
}
