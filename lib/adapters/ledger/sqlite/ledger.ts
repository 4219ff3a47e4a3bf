import { encodeRecord } from '../../../contract/ledger/envelope.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import { asLedgerError, ledgerLocked } from '../ledger-errors.ts';
import { guardFile, inTransaction, isBusy, openDatabase, remedyFor } from './database.ts';
import { listUnsent, markSent, recordEvent } from './events.ts';
import { assertLease, listHeld, renewLease } from './lease.ts';
import { type LeaseOwner, thisProcess } from './lease-owner.ts';
import {
  buryRollout,
  enlistRollout,
  isAbandoned,
  listWaiting,
  openRollout,
  saveWaiting,
  withdrawRollout,
} from './open.ts';
import { findLatestRequest, recordLatestRequest } from './queue.ts';
import {
  addSignal,
  closeRollout,
  freezePlan,
  freezeRollback,
  listRollouts,
  readRollout,
  readSignals,
  readSummary,
} from './rollout.ts';

export interface SqliteLedger {
  readonly ledger: Ledger;
  /**
   * Whether a rollout was opened and has not ended, and its process is gone, or has let the lease run out at `now`.
   */
  isAbandoned(rolloutId: string, now: number): Promise<boolean>;
  /** Closes the file. (`ledger.close` closes a rollout.) */
  end(): void;
}

/**
 * A ledger in one SQLite file, or in memory with `:memory:`. Any number of processes on one machine may share the
 * file. A lease whose process of this machine is gone can be taken at once. A missing file is created with mode 0600,
 * a missing folder with 0700.
 *
 * Throws `IncompatibleState` for a ledger of another number. Throws `LedgerUnavailable` when the
 * file cannot be opened, is not an SQLite file, or is kept locked by another process. Throws `InvalidInput` when others may write to the file or its
 * folder, or when it is a symbolic link. After a full disk, or when the file was deleted or replaced meanwhile, the
 * error is `LedgerUnavailable` and nothing is stored.
 */
export function openSqliteLedger(file: string, owner: LeaseOwner = thisProcess()): SqliteLedger {
  const where = `The ledger ${file}`;
  const database = guarded(where, () => openDatabase(file));
  const assertSameFile = guarded(where, () => guardFile(file));
  // The function is `async`, so that an error that SQLite throws at once becomes a rejection.
  const atomically = async <T>(work: () => T): Promise<T> =>
    guarded(where, () => {
      assertSameFile();
      const result = inTransaction(database, work);
      // Only now is it certain that others will find what was written.
      assertSameFile();
      return result;
    });

  const ledger: Ledger = {
    enlist: (request, waiting, now) =>
      atomically(() => enlistRollout(database, request, waiting, now)),
    saveWaiting: (request, waiting) => atomically(() => saveWaiting(database, request, waiting)),
    listWaiting: () => atomically(() => listWaiting(database)),
    withdraw: (rolloutId, outcome, now) =>
      atomically(() => withdrawRollout(database, rolloutId, outcome, now)),
    open: (request, now, leaseUntil) =>
      atomically(() => openRollout(database, owner, request, now, leaseUntil)),
    renew: (lease, leaseUntil) => atomically(() => renewLease(database, lease, leaseUntil)),
    freezePlan: (lease, plan) => atomically(() => freezePlan(database, lease, plan)),
    freezeRollback: (lease, rollback) =>
      atomically(() => freezeRollback(database, lease, rollback)),
    append: (lease, entries) =>
      atomically(() => {
        assertLease(database, lease);
        database
          .prepare('INSERT INTO journal (rollout_id, entries) VALUES (?, ?)')
          .run(lease.rolloutId, encodeRecord(entries));
      }),
    saveProgress: (lease, progress) =>
      atomically(() => {
        assertLease(database, lease);
        database
          .prepare('UPDATE rollout SET progress = ? WHERE rollout_id = ?')
          .run(encodeRecord(progress), lease.rolloutId);
      }),
    signal: (rolloutId, signal) => atomically(() => addSignal(database, rolloutId, signal)),
    readSignals: (rolloutId) => atomically(() => readSignals(database, rolloutId)),
    recordEvent: (lease, event) => atomically(() => recordEvent(database, lease, event)),
    markSent: (rolloutId, eventIds) => atomically(() => markSent(database, rolloutId, eventIds)),
    listUnsent: () => atomically(() => listUnsent(database)),
    recordLatestRequest: (request, now) =>
      atomically(() => recordLatestRequest(database, request, now)),
    findLatestRequest: (of) => atomically(() => findLatestRequest(database, of)),
    list: (query) => atomically(() => listRollouts(database, query)),
    read: (rolloutId) => atomically(() => readRollout(database, rolloutId)),
    readSummary: (rolloutId) => atomically(() => readSummary(database, rolloutId)),
    close: (rolloutId, outcome, now, signalsRead) =>
      atomically(() => closeRollout(database, rolloutId, outcome, now, signalsRead)),
    listHeld: () => atomically(() => listHeld(database)),
    bury: (rolloutId) => atomically(() => buryRollout(database, rolloutId)),
  };
  return {
    ledger,
    isAbandoned: (rolloutId, now) => atomically(() => isAbandoned(database, owner, rolloutId, now)),
    end: () => database.close(),
  };
}

function guarded<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isBusy(error)
      ? ledgerLocked(error, where)
      : asLedgerError(error, where, remedyFor(error));
  }
}
