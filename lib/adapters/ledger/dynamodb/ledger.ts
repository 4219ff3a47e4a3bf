import { outcomeRecord } from '../../../contract/ledger/records.ts';
import type { Outcome } from '../../../domain/rollout/outcome.ts';
import { UNDERSTOOD } from '../../../domain/signals/signals.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import { asLedgerError, rolloutNotFound } from '../ledger-errors.ts';
import { enlistRollout, listWaiting, saveWaiting } from './asked.ts';
import { listUnsent, markSent, recordEvent } from './events.ts';
import { freezePlan, freezeRollback } from './frozen-plans.ts';
import { listRollouts, readRollout, readSummary } from './history.ts';
import { findRollout, pack, type RolloutItem, storeOutcome, unpack, updateOpen } from './items.ts';
import { append } from './journal.ts';
import { findLease, listHeld, releaseLease, renewLease } from './lease.ts';
import { buryRollout, openRollout } from './open.ts';
import { findLatestRequest, recordLatestRequest } from './queue.ts';
import { addSignal, noMoreSignalsThan, readSignals } from './signals.ts';
import type { Table } from './table.ts';

/**
 * A ledger in one DynamoDB table, for any number of writers on any number of machines.
 *
 * | `pk`           | `sk`                      | what                                              |
 * |----------------|---------------------------|---------------------------------------------------|
 * | `runtime#<id>` | `lease`                   | who holds the runtime's lease                     |
 * | `runtime#<id>` | `latest#<endpoint URL>`   | the latest request; its rollout waits, or was opened |
 * | `rollout#<id>` | `rollout`                 | request, what the rollout waits for, signals and which ones it understands, progress, outcome, and where the plan is |
 * | `rollout#<id>` | `plan#<uuid>#<part>`      | the plan, and that of a rollback                  |
 * | `rollout#<id>` | `journal#<number>#<part>` | entries of the journal, of one `append` or several |
 * | `rollout#<id>` | `event#<id>`              | an event of the rollout                           |
 *
 * No transactions are used. Whoever takes over a lease first marks the rollout item of the old holder, and every write
 * of a rollout has to find that item neither marked nor closed. So concurrent batches of one rollout never cancel each
 * other, and a plan may have any size. One gap is left: entries of a process that does not know yet that it has lost the
 * lease may reach the journal, but their `append` throws `LeaseLost`. An event that was on its way is sent.
 *
 * The SDK's own retries of throttled and failed calls are enough, because each call here may be made twice: it finds
 * what the first call stored, and accepts that as its own. An error after these retries is `LedgerUnavailable`.
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
    renew: (lease, leaseUntil, isProven) => guarded(renewLease(table, lease, leaseUntil, isProven)),
    freezePlan: (lease, plan) => guarded(freezePlan(table, lease, plan)),
    freezeRollback: (lease, rollback) => guarded(freezeRollback(table, lease, rollback)),
    append: (lease, entries) => guarded(append(table, lease, entries)),
    saveProgress: (lease, progress) =>
      guarded(
        updateOpen(table, lease, 'SET progressData = :progress, understands = :understands', {
          ':progress': pack(progress),
          // Another version may have opened the rollout, and handed it over.
          ':understands': UNDERSTOOD,
        }),
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
    readSummary: (rolloutId) => guarded(readSummary(table, rolloutId)),
    close: (rolloutId, outcome, now, signalsRead) =>
      guarded(closeRollout(table, rolloutId, outcome, now, signalsRead)),
    listHeld: () => guarded(listHeld(table)),
    bury: (rolloutId) => guarded(buryRollout(table, rolloutId)),
  };
}

async function closeRollout(
  table: Table,
  rolloutId: string,
  outcome: Outcome,
  now: number,
  signalsRead?: number,
): Promise<Outcome | null> {
  const only =
    signalsRead === undefined ? null : await noMoreSignalsThan(table, rolloutId, signalsRead);
  return closeOnly(table, rolloutId, outcome, now, only);
}

/** `null`: the condition does not hold, and the rollout has not ended. */
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

/** This is also done when the outcome was there already, because whoever stored it may have died before this. */
async function giveBack(
  table: Table,
  rolloutId: string,
  { runtimeId, epoch, outcomeData }: RolloutItem,
): Promise<Outcome> {
  // A rollout that was closed while it was being opened may have taken a lease that its item does not know.
  const held = epoch > 0 ? { rolloutId, epoch } : await findLease(table, runtimeId);
  if (held?.rolloutId === rolloutId) {
    await releaseLease(table, { runtimeId, rolloutId, epoch: held.epoch });
  }
  return unpack(outcomeRecord, outcomeData as Uint8Array);
}
