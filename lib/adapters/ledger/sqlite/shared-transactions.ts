import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './database.ts';

/**
 * Does pieces of work on a database, each of them completely or not at all. Those that are asked for in the same turn of
 * the event loop share one transaction, because to store that takes as long as to store one of them. Nobody gets an
 * answer before everything is stored.
 *
 * @param frame Runs each transaction.
 * @param later Runs it when everybody in this turn has asked.
 */
export function shareTransactions(
  database: DatabaseSync,
  frame: (transact: () => void) => void,
  later: (work: () => void) => void,
): Transactions {
  let waiting: Piece[] = [];

  function storeSome(): void {
    const pieces = waiting.slice(0, MOST_AT_ONCE);
    waiting = waiting.slice(MOST_AT_ONCE);
    if (waiting.length > 0) later(storeSome);
    try {
      let answers: (() => void)[] = [];
      frame(() => {
        answers = inTransaction(database, () => pieces.map(({ run }) => run()));
      });
      for (const answer of answers) answer();
    } catch (error) {
      for (const { reject } of pieces) reject(error);
    }
  }

  return {
    share: (work) =>
      new Promise((resolve, reject) => {
        const run = () => {
          const done = attempt(database, work);
          return 'value' in done ? () => resolve(done.value) : () => reject(done.error);
        };
        waiting.push({ run, reject });
        if (waiting.length === 1) later(storeSome);
      }),
    end() {
      while (waiting.length > 0) storeSome();
    },
  };
}

interface Transactions {
  share<T>(work: () => T): Promise<T>;
  /** Stores what was asked for until now. */
  end(): void;
}

interface Piece {
  /** Does the work, and answers what tells its result. */
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** Other processes cannot write meanwhile, nor does this one do anything else. */
const MOST_AT_ONCE = 100;

/** Takes back only this piece of work when it throws, unless SQLite has taken back the whole transaction by itself. */
function attempt<T>(
  database: DatabaseSync,
  work: () => T,
): { readonly value: T } | { readonly error: unknown } {
  database.exec('SAVEPOINT piece');
  try {
    const value = work();
    database.exec('RELEASE piece');
    return { value };
  } catch (error) {
    if (!database.isTransaction) throw error;
    database.exec('ROLLBACK TO piece; RELEASE piece');
    return { error };
  }
}
