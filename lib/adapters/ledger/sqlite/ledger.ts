import type { DatabaseSync } from 'node:sqlite';
import {
  ANSWER_KEY_PREFIX,
  ANSWERERS_KEY_PREFIX,
  EXPIRES_AT,
  HISTORY_INDEX,
  OPEN_INDEX,
  ROLLOUT_KEY_PREFIX,
} from '../../../contract/ledger/table.ts';
import type { LeaseOwner } from '../../../ledger/lease.ts';
import { createLedger } from '../../../ledger/ledger.ts';
import { isAbandoned } from '../../../ledger/open.ts';
import { type Rule, settle } from '../../../ledger/storage.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import { asLedgerError } from '../storage-errors.ts';
import { type Copied, copyDatabase } from './copy-database.ts';
import { guardFile, IN_MEMORY, inTransaction, openDatabase, remedyFor } from './database.ts';
import { thisProcess } from './lease-owner.ts';
import { isBusy, lockedError, type Patience } from './lock.ts';
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
  /** The time by the clock of SQLite, in milliseconds since the Unix epoch. */
  now(): number;
  /** Copies everything that is stored by now into one new file. @throws `InvalidInput`, `LedgerUnavailable`. */
  copyTo(file: string): Copied;
  /** Closes the file. (`ledger.close` closes a rollout.) */
  end(): void;
}

interface SqliteLedgerOptions {
  /** Who takes leases. @default - this process */
  readonly owner?: LeaseOwner;
  /** How it waits while the file is locked, until it is open. Each transaction waits for 5 s after that. @default PATIENCE */
  readonly patience?: Partial<Patience>;
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
export function openSqliteLedger(
  file: string,
  { owner = thisProcess(), patience }: SqliteLedgerOptions = {},
): SqliteLedger {
  const guarded = guardOf(file);
  const database = guarded(() => openDatabase(file, '', patience));
  const assertSameFile = guarded(() => guardFile(file));
  const storage = createSqliteStorage(database);
  const log = keepLogShort(database);
  const frame = (transact: () => void) =>
    guarded(() => {
      assertSameFile();
      transact();
      // Only now is it certain that others will find what was written.
      assertSameFile();
      log.grew();
    });
  // Nothing waits for a disk that is not there.
  const later = file === IN_MEMORY ? queueMicrotask : setImmediate;
  const transactions = shareTransactions(database, frame, later);
  const follow = <T>(rule: Rule<T>): Promise<T> =>
    transactions.share(() => guarded(() => settle(storage, rule)));
  const remove = async (sql: string, before: number, then: readonly string[] = []) =>
    guarded(() => {
      assertSameFile();
      inTransaction(database, () => {
        database.prepare(sql).run(before);
        for (const more of then) database.prepare(more).run();
      });
    });
  return {
    ledger: createLedger(follow, owner),
    isAbandoned: (rolloutId, now) => follow(isAbandoned(owner, rolloutId, now)),
    forget: (before) => remove(FORGET, before, FORGET_ANSWERS),
    forgetExpired: (now) => remove(FORGET_EXPIRED, now / 1000),
    now: () => Number(database.prepare(NOW).get()?.now),
    copyTo: (to) =>
      guarded(() => {
        assertSameFile();
        return copyDatabase(database, to);
      }),
    end() {
      transactions.end();
      log.end();
      database.close();
    },
  };
}

/** Milliseconds. A write that waits for the disk takes some of them. */
const CHECKPOINT_MS = 1_000;

/**
 * Takes what is in the log over into the file itself, soon after it was written: whoever copies the one file has what
 * happened, also while a listener has it open for weeks.
 */
function keepLogShort(database: DatabaseSync): { grew(): void; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const checkpoint = () => {
    clearTimeout(timer);
    timer = undefined;
    try {
      // PASSIVE waits for nobody. What another process is reading now is taken over by the next one.
      database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // It is stored in the log all the same, and the next transaction says what is wrong with the disk.
    }
  };
  return {
    grew() {
      timer ??= setTimeout(checkpoint, CHECKPOINT_MS).unref();
    },
    end: checkpoint,
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

const NOW = "SELECT unixepoch('subsec') * 1000 AS now";

const FORGET_EXPIRED = `DELETE FROM field WHERE pk IN (
  SELECT pk FROM field WHERE name = '${EXPIRES_AT}' AND value <= ?1)`;

/** Answers of people are elsewhere: those to rollouts that are gone. */
const FORGET_ANSWERS = [
  { prefix: ANSWER_KEY_PREFIX, rolloutId: 'answer.sk' },
  {
    prefix: ANSWERERS_KEY_PREFIX,
    rolloutId: `substr(answer.pk, ${ANSWERERS_KEY_PREFIX.length + 1})`,
  },
].map(
  ({
    prefix,
    rolloutId,
  }) => `DELETE FROM field AS answer WHERE pk >= '${prefix}' AND pk < '${prefix.replace('#', '$')}'
  AND NOT EXISTS (SELECT 1 FROM field WHERE pk = '${ROLLOUT_KEY_PREFIX}' || ${rolloutId})`,
);

/** Gives errors of the storage the ledger's own name. */
function guardOf(file: string) {
  const where = `The ledger ${file}`;
  return <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw isBusy(error)
        ? lockedError(error, where, file)
        : asLedgerError(error, where, remedyFor(error));
    }
  };
}
