import { EXPIRES_AT, HISTORY_INDEX, OPEN_INDEX } from '../../../contract/ledger/table.ts';
import type { LeaseOwner } from '../../../ledger/lease.ts';
import { createLedger } from '../../../ledger/ledger.ts';
import { isAbandoned } from '../../../ledger/open.ts';
import { type Rule, settle } from '../../../ledger/storage.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import { asLedgerError, ledgerLocked } from '../storage-errors.ts';
import {
  guardFile,
  IN_MEMORY,
  inTransaction,
  isBusy,
  openDatabase,
  remedyFor,
} from './database.ts';
import { thisProcess } from './lease-owner.ts';
import { shareTransactions } from './shared-transactions.ts';
import { createSqliteStorage } from './storage.ts';

export interface SqliteLedger {
  readonly ledger: Ledger;
  /** Whether a rollout was opened and has not ended, and its process is gone, or has let the lease run out at `now`. */
  isAbandoned(rolloutId: string, now: number): Promise<boolean>;
  /**
   * Removes rollouts that ended before this time, in milliseconds since the Unix epoch, the oldest first, 100 at most.
   * One with an event that was not sent stays. The file does not become smaller: what comes next uses the room.
   */
  forget(before: number): Promise<void>;
  /** Removes what nobody asks for any more at `now`, in milliseconds since the Unix epoch: releases that were taken. */
  forgetExpired(now: number): Promise<void>;
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
  const storage = createSqliteStorage(database);
  const frame = (transact: () => void) =>
    guarded(where, () => {
      assertSameFile();
      transact();
      // Only now is it certain that others will find what was written.
      assertSameFile();
    });
  // Nothing waits for a disk that is not there.
  const later = file === IN_MEMORY ? queueMicrotask : setImmediate;
  const transactions = shareTransactions(database, frame, later);
  const follow = <T>(rule: Rule<T>): Promise<T> =>
    transactions.share(() => guarded(where, () => settle(storage, rule)));
  const remove = async (sql: string, before: number) =>
    guarded(where, () => {
      assertSameFile();
      inTransaction(database, () => database.prepare(sql).run(before));
    });
  return {
    ledger: createLedger(follow, owner),
    isAbandoned: (rolloutId, now) => follow(isAbandoned(owner, rolloutId, now)),
    forget: (before) => remove(FORGET, before),
    forgetExpired: (now) => remove(FORGET_EXPIRED, now / 1000),
    end() {
      transactions.end();
      database.close();
    },
  };
}

/** A rollout has all of its rows in one place. Nothing has ended before it began, so the index of the begins helps. */
const FORGET = `DELETE FROM field WHERE pk IN (
  SELECT began.pk FROM field began CROSS JOIN field ended USING (pk, sk)
  WHERE began.name = '${HISTORY_INDEX.sort}' AND began.value < ?1
    AND ended.name = 'endedAt' AND ended.value < ?1 AND NOT EXISTS (
      SELECT 1 FROM field open
      WHERE open.pk = began.pk AND open.name = '${OPEN_INDEX.key}' AND open.value IS NOT NULL
    )
  ORDER BY began.value LIMIT 100)`;

const FORGET_EXPIRED = `DELETE FROM field WHERE pk IN (
  SELECT pk FROM field WHERE name = '${EXPIRES_AT}' AND value <= ?1)`;

function guarded<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isBusy(error)
      ? ledgerLocked(error, where)
      : asLedgerError(error, where, remedyFor(error));
  }
}
