import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { openSqliteLedger } from '../../../../lib/adapters/ledger/sqlite/ledger.ts';
import { shareTransactions } from '../../../../lib/adapters/ledger/sqlite/shared-transactions.ts';
import { acceptedAt } from '../../../../lib/domain/rollout/opening.ts';
import { NOW, requestOf, UNTIL } from '../ledger-examples.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-ledger-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** How many transactions were stored meanwhile. */
async function countCommits(work: () => Promise<unknown>): Promise<number> {
  const exec = jest.spyOn(DatabaseSync.prototype, 'exec');
  try {
    await work();
    return exec.mock.calls.filter(([sql]) => sql === 'COMMIT').length;
  } finally {
    exec.mockRestore();
  }
}

const asked = (rolloutId: string) => ({ ...requestOf('shop'), rolloutId });

test('releases that come together are stored in one transaction', async () => {
  const { ledger, end } = openSqliteLedger(join(folder, 'ledger.db'));
  const ids = Array.from({ length: 50 }, (_, index) => `release-${index}`);
  const commits = await countCommits(async () => {
    const isNew = await Promise.all(
      ids.map((id) => ledger.enlist(asked(id), acceptedAt(NOW), NOW)),
    );
    expect(isNew).toEqual(Array(50).fill(true));
  });
  expect(commits).toBe(1);
  expect(new Set(await ledger.listWaiting())).toEqual(new Set(ids));
  end();
});

test('what is asked for together goes one after the other, and what is refused takes nothing else with it', async () => {
  const { ledger, end } = openSqliteLedger(join(folder, 'ledger.db'));
  const [first, second, unknown] = ['release-1', 'release-2', 'release-3'].map(asked);
  const results = await Promise.allSettled([
    ledger.open(first as never, NOW, UNTIL),
    ledger.saveWaiting(unknown as never, acceptedAt(NOW)),
    ledger.open(second as never, NOW, UNTIL),
    ledger.enlist(second as never, acceptedAt(NOW), NOW),
  ]);
  expect(results).toMatchObject([
    { status: 'fulfilled', value: { epoch: 1 } },
    { status: 'rejected', reason: { name: 'RolloutNotFound' } },
    { status: 'rejected', reason: { name: 'LeaseHeld' } },
    { status: 'fulfilled', value: true },
  ]);
  expect(await ledger.listWaiting()).toEqual(['release-2']);
  end();
});

test.each([1, 250])('what was asked for before the file is closed is stored: %i', async (count) => {
  const file = join(folder, 'ledger.db');
  const { ledger, end } = openSqliteLedger(file);
  const ids = Array.from({ length: count }, (_, index) => `release-${index}`);
  const isNew = Promise.all(ids.map((id) => ledger.enlist(asked(id), acceptedAt(NOW), NOW)));
  end();
  expect(await isNew).toEqual(Array(count).fill(true));
  const again = openSqliteLedger(file);
  expect(new Set(await again.ledger.listWaiting())).toEqual(new Set(ids));
  again.end();
});

/** A table of words, and pieces of work that add some. */
function openWords() {
  const file = join(folder, 'words.db');
  const [database, other] = [new DatabaseSync(file), new DatabaseSync(file)];
  database.exec('CREATE TABLE word (word TEXT)');
  const { share } = shareTransactions(database, (transact) => transact(), setImmediate);
  const add = (word: string, then?: string) =>
    share(() => {
      database.prepare('INSERT INTO word VALUES (?)').run(word);
      if (then !== undefined) database.exec(then);
    });
  const stored = () =>
    other
      .prepare('SELECT word FROM word')
      .all()
      .map(({ word }) => word);
  const end = () => {
    database.close();
    other.close();
  };
  return { add, stored, end };
}

test('a piece of work that fails half-way leaves nothing, and the others stay', async () => {
  const { add, stored, end } = openWords();
  const before = add('before');
  const failed = add('half', 'INSERT INTO missing VALUES (1)');
  const after = add('after');
  await expect(failed).rejects.toThrow('missing');
  await Promise.all([before, after]);
  expect(stored()).toEqual(['before', 'after']);
  end();
});

test('when SQLite takes the whole transaction back, everybody hears it, and the next one is stored', async () => {
  const { add, stored, end } = openWords();
  // This is what SQLite does by itself when a disk is full.
  const pieces = [
    add('before'),
    add('fatal', 'ROLLBACK; INSERT INTO missing VALUES (1)'),
    add('after'),
  ];
  const results = await Promise.allSettled(pieces);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await add('next');
  expect(stored()).toEqual(['next']);
  end();
});

test('an answer comes once other processes see what was stored', async () => {
  const { add, stored, end } = openWords();
  const seen = await Promise.all(['one', 'two'].map((word) => add(word).then(stored)));
  expect(seen).toEqual([
    ['one', 'two'],
    ['one', 'two'],
  ]);
  end();
});

test('thousands do not lock the file for long: each transaction has at most 100', async () => {
  const { add, stored, end } = openWords();
  const commits = await countCommits(() =>
    Promise.all(Array.from({ length: 250 }, (_, index) => add(`${index}`))),
  );
  expect(commits).toBe(3);
  expect(stored()).toHaveLength(250);
  end();
});
