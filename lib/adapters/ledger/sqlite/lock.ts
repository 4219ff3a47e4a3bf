import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';

const SQLITE_BUSY = 5;

/** The file system cannot lock a file at all: SQLITE_IOERR_ and UNLOCK, RDLOCK, CHECKRESERVEDLOCK, LOCK, SHMLOCK. */
const NO_LOCKS: readonly unknown[] = [2058, 2314, 3594, 3850, 5130];

/** How long a process waits for a ledger that is locked, when it opens it. */
export interface Patience {
  readonly giveUpAfterMs: number;
  /** Milliseconds by a clock that nobody sets. */
  now(): number;
  sleep(milliseconds: number): void;
  /** Tells a person that it waits, and for whom. */
  tell(line: string): void;
}

const TELL_AFTER_MS = 5_000;

/** The random time keeps processes that wait for each other from meeting again. */
const PAUSE_MS = 20;

export const PATIENCE: Patience = {
  giveUpAfterMs: 30_000,
  now: () => performance.now(),
  // This is the only way to sleep in synchronous code.
  sleep: (milliseconds) =>
    void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
  tell: (line) => void process.stderr.write(`${line.replaceAll(/\p{Cc}/gu, ' ')}\n`),
};

/** Does the work again while the file is locked. @throws what the work throws, for a lock once it is given up. */
export function waitForLock(
  file: string,
  work: () => void,
  { giveUpAfterMs, now, sleep, tell }: Patience,
): void {
  const startedAt = now();
  for (let isTold = false; ; ) {
    try {
      work();
      return;
    } catch (error) {
      const waitedMs = now() - startedAt;
      if (!isBusy(error) || waitedMs >= giveUpAfterMs) throw error;
      if (!isTold && waitedMs >= TELL_AFTER_MS) {
        isTold = true;
        const left = Math.ceil((giveUpAfterMs - waitedMs) / 1000);
        const { seen, remedy } = lookAtLock(file);
        tell(`The ledger ${file} ${seen}. ${remedy}. It is waited for ${left} s more.`);
      }
      sleep(Math.random() * PAUSE_MS);
    }
  }
}

/** What is seen of a lock that this process does not get. */
export interface SeenLock {
  /** What is seen of it, to go on after the name of the ledger, in a sentence without its end. */
  readonly seen: string;
  /** What helps, in a sentence without its end. */
  readonly remedy: string;
}

/** Looks who has the lock of a database, and else whether its file system has locks. Nobody is named on suspicion. */
function lookAtLock(file: string): SeenLock {
  const holders = findHolders(file);
  if (holders.length > 0) {
    const pids = holders.map(({ pid }) => pid).join(' ');
    const names = holders.map(({ pid, name }) => `process ${pid} (${name})`).join(' and ');
    return {
      seen: `is locked: ${names} writes to it and has not finished`,
      remedy: `Let it go on, if it is stopped (fg, or kill -CONT ${pids}), or end it`,
    };
  }
  if (!canLock(file)) {
    return {
      seen: 'cannot be locked: its file system has no locks, for a new file beside it cannot be locked either',
      remedy: 'Use a folder on a local disk as STEPROLL_STATE_DIR',
    };
  }
  return {
    seen: 'is locked: something writes to it and has not finished, and it is no other process that can be seen from here',
    remedy:
      'Look who uses it (fuser or lsof; also as root, in other containers and on other machines), and let that go on or end it',
  };
}

/** @param where What is locked, to begin a sentence with. */
export function lockedError(error: unknown, where: string, file: string): SteprollError {
  const { seen, remedy } = lookAtLock(file);
  const message = `${where} ${seen}. What was to be stored now is not. ${remedy}, and try again.`;
  return new SteprollError(ErrorName.LedgerUnavailable, message, { cause: error });
}

interface Holder {
  readonly pid: number;
  readonly name: string;
}

/** The other processes that may write now. Linux tells them, of the same container. Elsewhere there is none. */
function findHolders(file: string): readonly Holder[] {
  const parts = [file, `${file}-shm`].flatMap((part) => identify(part) ?? []);
  const pids = new Set(
    readOrNothing('/proc/locks')
      .split('\n')
      .flatMap((line) => {
        // `1: POSIX  ADVISORY  WRITE 2358 fe:00:10085428 120 120`
        const [, pid, inode] = / WRITE +(\d+) +\S+:(\d+) /.exec(line) ?? [];
        return parts.some((part) => part.inode === inode) ? [Number(pid)] : [];
      }),
  );
  pids.delete(process.pid);
  // Files of two disks may have the same number, and some file systems lock under that of another disk.
  return [...pids].filter((pid) => hasOpen(pid, parts)).map((pid) => ({ pid, name: nameOf(pid) }));
}

/** The name of its program. What follows that may be a secret. */
function nameOf(pid: number): string {
  const [program = ''] = readOrNothing(`/proc/${pid}/cmdline`).split('\0');
  return basename(program).replaceAll(/[^\w.-]/g, '?') || 'unknown';
}

interface Part {
  readonly device: string;
  readonly inode: string;
}

function hasOpen(pid: number, parts: readonly Part[]): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => {
      const opened = identify(`${folder}/${fd}`);
      return parts.some(({ device, inode }) => device === opened?.device && inode === opened.inode);
    });
  } catch {
    // It is another user's, or has ended.
    return false;
  }
}

function identify(path: string): Part | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && { device: String(found.dev), inode: String(found.ino) };
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Whether a file that nobody else knows can be locked in the same folder. */
function canLock(file: string): boolean {
  const probe = `${file}.${randomUUID()}.tmp`;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(probe, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return true;
  } catch (error) {
    return !isBusy(error);
  } finally {
    database?.close();
    for (const suffix of ['', '-journal']) rmSync(probe + suffix, { force: true });
  }
}

/** Whether SQLite got no lock: somebody else has it, or the file system has none to give. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === SQLITE_BUSY || NO_LOCKS.includes(codeOf(error));
}

/** The code of SQLite without the higher bits, which say which kind of an error it is, or that of the file system. */
export function kindOf(error: unknown): unknown {
  const code = codeOf(error);
  return typeof code === 'number' ? code & 0xff : code;
}

function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error) return Number(error.errcode);
  return 'code' in error ? error.code : undefined;
}
