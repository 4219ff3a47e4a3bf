import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { openSqliteLedger } from '../../../../lib/adapters/ledger/sqlite/ledger.ts';
import type { Patience } from '../../../../lib/adapters/ledger/sqlite/lock.ts';
import { NOW, requestOf, UNTIL } from '../ledger-examples.ts';

let folder = '';
let file = '';
const seconds = { now: 0 };
const told: string[] = [];
let holder: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-ledger-'));
  file = join(folder, 'ledger.db');
  seconds.now = 0;
  told.length = 0;
});
afterEach(async () => {
  jest.restoreAllMocks();
  if (holder?.exitCode === null && holder.signalCode === null) {
    const gone = once(holder, 'exit');
    holder.kill('SIGKILL');
    await gone;
  }
  rmSync(folder, { recursive: true });
});

/** Every sleep takes a second, so that nobody waits for it. */
const virtual = (atSecond: (second: number) => void = () => undefined): Partial<Patience> => ({
  now: () => seconds.now * 1000,
  sleep() {
    seconds.now += 1;
    atSecond(seconds.now);
  },
  tell: (line) => told.push(`${seconds.now} s: ${line}`),
});

const open = (patience = virtual()) => openSqliteLedger(file, { patience });

function refusalOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

/** Another process that has begun to write, and does not finish. */
async function holdElsewhere(begin: string): Promise<number> {
  const hold = `const database = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)});
    database.exec(${JSON.stringify(begin)}); console.log('held'); setInterval(() => {}, 1000);`;
  holder = spawn(process.execPath, ['--eval', hold], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout as NonNullable<typeof holder.stdout>, 'data');
  return Number(holder.pid);
}

/** Linux tells a process who has a lock. */
function seenOf(pid: number): string {
  return process.platform === 'linux'
    ? `process ${pid} (node) writes to it and has not finished`
    : 'something writes to it and has not finished';
}

test.each([
  ['writes', 'BEGIN IMMEDIATE'],
  ['has it for itself', 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'],
])(
  'L06: a ledger while another process %s is told after 5 s, given up after 30 s, and the process is named where it can be seen',
  async (_, begin) => {
    open().end();
    const seen = `The ledger ${file} is locked: ${seenOf(await holdElsewhere(begin))}`;

    const error = refusalOf(open);

    expect(error).toMatchObject({
      name: 'LedgerUnavailable',
      message: expect.stringContaining(seen),
    });
    expect(seconds.now).toBe(30);
    expect(told).toEqual([expect.stringContaining(`5 s: ${seen}`)]);
    expect(told[0]).toContain('It is waited for 25 s more.');
  },
);

describe('L06: a ledger with a lock', () => {
  test('that is let go of in time is opened, and what was told is all', () => {
    open().end();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    open(virtual((second) => second === 20 && other.close())).end();
    expect(seconds.now).toBe(20);
    expect(told).toHaveLength(1);
  });

  test('that is let go of within 5 s is opened, and nobody is told', () => {
    open().end();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    open(virtual((second) => second === 5 && other.close())).end();
    expect(told).toEqual([]);
  });

  test('of nobody who can be seen accuses no process', () => {
    open().end();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const error = refusalOf(open);
    other.close();
    expect(error).toMatchObject({
      name: 'LedgerUnavailable',
      message: expect.stringMatching(
        /is locked: something writes to it .* no other process that can be seen from here\. .*fuser or lsof/,
      ),
    });
    expect(seconds.now).toBe(30);
  });

  test.each([
    ['ENOLCK, which SQLite tells as SQLITE_BUSY', 5],
    ['ENOSYS, which it tells as SQLITE_IOERR_LOCK', 3850],
  ])('on a file system without locks says that: %s', (_, errcode) => {
    open().end();
    jest.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
      throw Object.assign(new Error('no locks'), { errcode });
    });
    const error = refusalOf(open);
    jest.restoreAllMocks();
    expect(error).toMatchObject({
      name: 'LedgerUnavailable',
      message: `The ledger ${file} cannot be locked: its file system has no locks, for a new file beside it cannot be locked either. What was to be stored now is not. Use a folder on a local disk as STEPROLL_STATE_DIR, and try again.`,
    });
    expect(seconds.now).toBe(30);
    expect(told).toEqual([expect.stringMatching(/^5 s: .* has no locks.* local disk/)]);
    expect(readdirSync(folder)).toEqual(['ledger.db']);
  });

  test('in use is refused by SQLite itself, and the next call goes on', async () => {
    const { ledger, end } = open();
    const { rolloutId } = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    const exec = jest.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
      throw Object.assign(new Error('database is locked'), { errcode: 5 });
    });
    const error = await ledger.read(rolloutId).catch((one) => one);
    exec.mockRestore();
    expect(error).toMatchObject({
      name: 'LedgerUnavailable',
      message: expect.stringContaining(`The ledger ${file} cannot be locked`),
    });
    expect(await ledger.read(rolloutId)).toMatchObject({ outcome: null });
    end();
  });
});
