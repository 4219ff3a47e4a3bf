import { closeSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LEDGER_VERSION } from '../../../contract/ledger/envelope.ts';
import {
  EXPIRES_AT,
  HISTORY_INDEX,
  OPEN_INDEX,
  RUNTIME_INDEX,
} from '../../../contract/ledger/table.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import { checkStateFile, makeStateFolder } from '../../machine/state-folder.ts';
import { kindOf, PATIENCE, type Patience, waitForLock } from './lock.ts';

export const IN_MEMORY = ':memory:';

/** How many milliseconds a transaction waits for another process. Nothing else is done meanwhile. */
const BUSY_TIMEOUT_MS = 5_000;

/** What helps, by the codes of SQLite and of the file system. */
const REMEDIES: ReadonlyMap<unknown, string> = new Map([
  ...[13, 'ENOSPC', 'EDQUOT'].map((code) => [code, 'Free space on its disk'] as const),
  ...[8, 'EROFS', 'EACCES', 'EPERM'].map((code) => [code, 'Make it writable again'] as const),
  ...[10, 14, 'EIO'].map((code) => [code, 'Look whether its disk is full or read-only'] as const),
]);

/** A field that was removed has no value. Fields that have several rows are in the order of `seq`. */
const SCHEMA = `
  CREATE TABLE field (
    pk    TEXT NOT NULL,
    sk    TEXT NOT NULL,
    name  TEXT NOT NULL,
    seq   INTEGER NOT NULL,
    value ANY,
    PRIMARY KEY (pk, sk, name, seq)
  ) STRICT;
  PRAGMA user_version = ${LEDGER_VERSION};
`;

/** A file that lacks one gets it when it is opened. SQLite keeps it up to date, whichever steproll writes. */
const INDEXES = `
  CREATE INDEX IF NOT EXISTS by_time ON field (value, pk) WHERE name = '${HISTORY_INDEX.sort}';
  CREATE INDEX IF NOT EXISTS of_runtime ON field (value, pk) WHERE name = '${RUNTIME_INDEX.key}';
  CREATE INDEX IF NOT EXISTS expiring ON field (value, pk) WHERE name = '${EXPIRES_AT}';
  CREATE INDEX IF NOT EXISTS unfinished ON field (value)
    WHERE name = '${OPEN_INDEX.key}' AND value IS NOT NULL;
`;

/** As large as SQLite's own limit, which is for pages four times as large. */
const PAGES_OF_LOG = 4_000;

/**
 * Opens the ledger's database. If there is none, creates it, for its owner alone. Throws `IncompatibleState` for a
 * ledger of another number, `InvalidInput` when others may write to the file, and the errors of SQLite.
 *
 * @param more What else has to be in it, in SQL. @default - nothing
 * @param patience How it waits while the file is locked. @default PATIENCE
 */
export function openDatabase(file: string, more = '', patience?: Partial<Patience>): DatabaseSync {
  // SQLite waits for some locks and refuses others at once, so until it is open only `patience` waits.
  const database = new LedgerDatabase(createFile(file), { timeout: 0 });
  try {
    waitForLock(file, () => prepare(database, more), { ...PATIENCE, ...patience });
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function prepare(database: DatabaseSync, more: string): void {
  // A new file has small pages: a step changes a few hundred bytes, and each commit writes whole pages.
  database.exec(`PRAGMA page_size = 1024; PRAGMA wal_autocheckpoint = ${PAGES_OF_LOG}`);
  database.exec('PRAGMA journal_mode = WAL');
  // A write to the service may follow every commit, so a power cut must not lose it.
  database.exec('PRAGMA synchronous = FULL');
  inTransaction(database, () => {
    createSchema(database);
    database.exec(more);
  });
}

/** Compiles each statement once: that takes longer than to run it, and every step runs the same few. */
class LedgerDatabase extends DatabaseSync {
  readonly #statements = new Map<string, StatementSync>();

  override prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? super.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Runs `work` as the only writer of the file. Either everything is stored, or nothing when it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  // IMMEDIATE takes the write lock before the first read, so no decision is based on an outdated read.
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // After some failures, such as a full disk, SQLite has rolled back by itself.
    if (database.isTransaction) {
      database.exec('ROLLBACK');
    }
    throw error;
  }
}

function createFile(file: string): string {
  if (file === IN_MEMORY) return file;
  const path = resolve(file);
  makeStateFolder(dirname(path));
  for (const suffix of ['', '-wal', '-shm', '-journal']) checkStateFile(path + suffix);
  // SQLite gives its -wal and -shm files the mode of the database file.
  closeSync(openSync(path, 'a', 0o600));
  return path;
}

/** A function that throws `LedgerUnavailable` once another file is at this path: nobody would read the old one. */
export function guardFile(file: string): () => void {
  if (file === IN_MEMORY) return () => {};
  const path = resolve(file);
  // What was stored last is in the log beside it, which is the same file for as long as this process has it open.
  const parts = [path, `${path}-wal`].map((part) => ({ part, opened: identify(part) }));
  return () => {
    for (const { part, opened } of parts) {
      const now = identify(part);
      if (now !== undefined && now === opened) continue;
      const fate = now === undefined ? 'moved away or deleted' : 'replaced by another one';
      throw new SteprollError(
        ErrorName.LedgerUnavailable,
        `The ledger ${part} was ${fate} while it was in use: nothing more is done without it.`,
        { isGone: true },
      );
    }
  };
}

function identify(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** What helps against an error of the storage, in a sentence without its end. `undefined`: that is not known. */
export function remedyFor(error: unknown): string | undefined {
  return REMEDIES.get(kindOf(error));
}

function createSchema(database: DatabaseSync): void {
  const version = database.prepare('PRAGMA user_version').get()?.user_version;
  const tables = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.tables;
  if (version === 0 && tables === 0) {
    database.exec(SCHEMA);
  } else if (version !== LEDGER_VERSION) {
    throw new SteprollError(
      ErrorName.IncompatibleState,
      `it has number ${version}, this steproll reads ${LEDGER_VERSION}. Once no rollout of it is under way, move it away to start a new history.`,
    );
  }
  database.exec(INDEXES);
}
