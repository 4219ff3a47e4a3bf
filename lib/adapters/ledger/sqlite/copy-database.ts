import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HISTORY_INDEX } from '../../../contract/ledger/table.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../../domain/errors.ts';

/** What is in a copy. */
export interface Copied {
  /** The path from the root. */
  readonly file: string;
  readonly rollouts: number;
}

/**
 * Copies a ledger as it is at one moment into one new file, for this user alone, while other processes go on writing to
 * it. The file is there completely or not at all, and nothing is overwritten.
 *
 * @throws `InvalidInput` for a file that is there already or cannot be made, and the errors of SQLite.
 */
export function copyDatabase(database: DatabaseSync, to: string): Copied {
  const file = resolve(to);
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
  } catch (cause) {
    throw notWritten(`Cannot write ${file}: ${errorMessageOf(cause)}`, cause);
  }
  try {
    database.prepare('VACUUM INTO ?').run(draft);
    const rollouts = readBack(draft);
    const written = openSync(draft, 'r+');
    fsyncSync(written);
    closeSync(written);
    place(draft, file);
    return { file, rollouts };
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Unlike a move, a link fails where another file has come meanwhile. */
function place(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    const why = isThere
      ? `${file} is there already, and a copy overwrites nothing: use another name`
      : `Cannot write ${file}: ${errorMessageOf(cause)}`;
    throw notWritten(why, cause);
  }
}

/** How many rollouts it has. @throws when it is not whole. */
function readBack(file: string): number {
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    const check = copy.prepare('PRAGMA quick_check').get()?.quick_check;
    if (check !== 'ok') throw new Error(`the copy is damaged, and so may the ledger be: ${check}`);
    const count = copy.prepare('SELECT count(*) AS rollouts FROM field WHERE name = ?');
    return Number(count.get(HISTORY_INDEX.sort)?.rollouts);
  } finally {
    copy.close();
  }
}

function notWritten(message: string, cause: unknown): SteprollError {
  return new SteprollError(ErrorName.InvalidInput, message, { cause });
}
