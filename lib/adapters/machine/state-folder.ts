import { randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { fileExists } from './files.ts';

const MEND = 'or name another state directory with STEPROLL_STATE_DIR';

/** Whether there is a ledger. @throws `LedgerUnavailable` where this account may not read it, or may not know. */
export function ledgerExists(file: string): boolean {
  try {
    if (!fileExists(file)) return false;
    accessSync(file, constants.R_OK);
    return true;
  } catch (cause) {
    const message = `You may not read the ledger ${file}, so nothing is known of its rollouts and holds (${errorMessageOf(cause)}). Ask from the account that it belongs to, ${MEND}.`;
    throw new SteprollError(ErrorName.LedgerUnavailable, message, { cause });
  }
}

/**
 * Makes the folder that ledger and listener share, if there is none, for its owner alone. Anybody who may write to it
 * decides what rollouts do, so a folder that others may write to is refused.
 *
 * @throws `InvalidInput`, and what the file system throws.
 */
export function makeStateFolder(path: string): void {
  makeFolder(path);
  const folder = statSync(path);
  if (!folder.isDirectory()) throw refusal(path, 'is no folder', `move it away, ${MEND}`);
  refuseStrangers(path, folder);
}

/**
 * Refuses a file of the state directory that is a link, or that others may write to. A file that does not exist is
 * fine.
 *
 * @throws `InvalidInput`, and what the file system throws.
 */
export function checkStateFile(path: string): void {
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (file === undefined) return;
  if (!file.isFile()) {
    const what = file.isSymbolicLink() ? 'is a symbolic link, which is not followed' : 'is no file';
    throw refusal(path, what, `move it away, ${MEND}`);
  }
  refuseStrangers(path, file);
}

/** Makes one folder after the other. Node's own way to make several at once never ends below /proc. */
function makeFolder(path: string, hasParent = false): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || hasParent) throw error;
    makeFolder(dirname(path));
    makeFolder(path, true);
  }
}

/** Writes a file for this user alone, completely or not at all: a reader meanwhile finds the old content. */
export function writeStateFile(folder: string, name: string, value: unknown): void {
  makeStateFolder(folder);
  const draft = join(folder, `${name}.${randomUUID()}.tmp`);
  try {
    writeFileSync(draft, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, join(folder, name));
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Reads a file of the state directory, with the same care with which it is written; `null` when there is none.
 *
 * @throws `InvalidInput` for a file or a folder that is refused, and when the file cannot be read.
 */
export function readStateFile(folder: string, name: string): string | null {
  const path = join(folder, name);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return null;
  refuseStrangers(folder, found);
  checkStateFile(path);
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    const message = `Cannot read ${path}: ${errorMessageOf(cause)}`;
    throw new SteprollError(ErrorName.InvalidInput, message, { cause });
  }
}

const WRITABLE_BY_OTHERS = 0o022;

/** On systems without users, nothing is known about others. */
function refuseStrangers(path: string, found: Stats): void {
  const { uid, mode } = found;
  const own = process.getuid?.();
  if (own === undefined) return;
  // Orchestrators make volumes that their containers may write to and not chmod.
  const mend = found.isDirectory()
    ? `${MEND}. In a volume, STEPROLL_STATE_DIR=${join(path, 'steproll')} makes a folder for this user alone`
    : MEND;
  if (uid !== own && uid !== 0) {
    throw refusal(path, 'belongs to another user', `chown it to yours, ${mend}`);
  }
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  const bits = (mode & 0o7777).toString(8);
  throw refusal(path, `may be written to by others (mode ${bits})`, `chmod go-w it, ${mend}`);
}

function refusal(path: string, what: string, mend: string): SteprollError {
  return new SteprollError(ErrorName.InvalidInput, `${path} ${what}: ${mend}.`);
}
