import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { openSqliteLedger } from '../../../../lib/adapters/ledger/sqlite/ledger.ts';
import type { Field } from '../../../../lib/contract/ledger/fields.ts';
import { eventIdOf } from '../../../../lib/domain/rollout/event.ts';
import { acceptedAt } from '../../../../lib/domain/rollout/opening.ts';
import type { Signal } from '../../../../lib/domain/rollout/record.ts';
import { ONCE_MS } from '../../../../lib/domain/trigger/once.ts';
import { eventKey, rolloutKey } from '../../../../lib/ledger/keys.ts';
import type { LeaseOwner } from '../../../../lib/ledger/lease.ts';
import type { Ledger } from '../../../../lib/ports/ledger.ts';
import { beginWith } from '../../../support/begin-with.ts';
import { PAUSE, PAUSED } from '../../../support/from-tomorrow.ts';
import { storeField } from '../../../support/store-field.ts';
import { describeLedger } from '../ledger-contract.ts';
import { expectError, line, NOW, planOf, requestOf, SUCCEEDED, UNTIL } from '../ledger-examples.ts';
import { describeProcesses } from '../ledger-processes-contract.ts';

let folder = '';
let ends: (() => void)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-ledger-'));
});

afterEach(() => {
  for (const end of ends) {
    end();
  }
  ends = [];
  rmSync(folder, { recursive: true, force: true });
});

describeLedger('SQLite ledger in memory', () => connect(':memory:'));
describeLedger('SQLite ledger in a file', () => connect(join(folder, 'ledger.db')));
describeProcesses('SQLite ledger in a file', () => {
  const file = join(folder, 'ledger.db');
  return (owner) => connect(file, owner);
});

describe('the history of an SQLite ledger', () => {
  test('no read looks through all that is stored, whatever it asks for', async () => {
    const file = join(folder, 'ledger.db');
    const ledger = connect(file);
    const prepare = jest.spyOn(DatabaseSync.prototype, 'prepare');
    const request = requestOf(randomUUID());
    await ledger.open(request, NOW, UNTIL);
    await ledger.list({ runtimeId: request.runtimeId, limit: 10 });
    await ledger.list({ limit: 10 });
    await ledger.listWaiting();
    await ledger.listHeld();
    await ledger.listUnsent();
    await ledger.hear(request);
    await ledger.listHolds();
    await ledger.read(request.rolloutId);
    const asked = new Set(prepare.mock.calls.map(([sql]) => sql.trim()));
    prepare.mockRestore();

    const database = new DatabaseSync(file);
    const scans = [...asked]
      .filter((sql) => sql.startsWith('SELECT'))
      .flatMap((sql) => database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
      .map(({ detail }) => String(detail))
      .filter((detail) => /^SCAN (?!\(subquery)/.test(detail));
    database.close();
    // Of all rollouts the newest are read, in the order of the index, and no more than were asked for.
    expect(new Set(scans)).toEqual(new Set(['SCAN sort USING INDEX by_time']));
  });

  test('a file of an earlier steproll gets the indexes that it lacks', async () => {
    const file = join(folder, 'ledger.db');
    connect(file);
    const indexes = () => {
      const database = new DatabaseSync(file);
      const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'").all();
      database.close();
      return rows.map(({ name }) => name);
    };
    const all = indexes();
    const database = new DatabaseSync(file);
    database.exec('DROP INDEX of_runtime');
    database.close();
    connect(file);

    expect(indexes().toSorted()).toEqual(all.toSorted());
  });

  test('has the newest of a runtime first, however many it has had', async () => {
    const ledger = connect(':memory:');
    const [runtimeId, other] = [randomUUID(), randomUUID()];
    const ids: string[] = [];
    for (let index = 0; index < 1_100; index += 1) {
      const request = requestOf(index % 10 === 0 ? other : runtimeId);
      await ledger.enlist(request, acceptedAt(NOW), NOW + index);
      if (request.runtimeId === runtimeId) ids.unshift(request.rolloutId);
    }
    const idsOf = async (limit: number) =>
      (await ledger.list({ runtimeId, limit })).map(({ rolloutId }) => rolloutId);

    expect(await idsOf(5)).toEqual(ids.slice(0, 5));
    for (let index = 0; index < 100; index += 1) {
      const request = requestOf(runtimeId);
      await ledger.enlist(request, acceptedAt(NOW), NOW + 2_000 + index);
      ids.unshift(request.rolloutId);
    }
    expect(ids.length).toBeGreaterThan(1_000);
    expect(await idsOf(5)).toEqual(ids.slice(0, 5));
  });

  test('rollouts that ended before a time are removed whole, and nothing else', async () => {
    const { ledger, forget, end } = openSqliteLedger(':memory:');
    ends.push(end);
    const run = async (at: number, endsAt: number | null, isSent = true) => {
      const request = requestOf(randomUUID());
      const { rolloutId } = request;
      const lease = await ledger.open(request, at, UNTIL, beginWith(planOf(3)));
      await ledger.append(lease, [line(1)]);
      if (endsAt !== null) await ledger.close(rolloutId, SUCCEEDED, endsAt);
      if (isSent) await ledger.markSent(rolloutId, [eventIdOf(rolloutId, 'ended')]);
      return rolloutId;
    };
    const old = await run(NOW, NOW + 10);
    const unsent = await run(NOW, NOW + 10, false);
    const underWay = await run(NOW, null);
    const atTheTime = await run(NOW, NOW + 100);
    const later = await run(NOW + 200, NOW + 210);

    await forget(NOW + 100);

    await expectError('RolloutNotFound', ledger.read(old));
    expect(await ledger.readSummary(old)).toBeNull();
    const left = (await ledger.list({ limit: 10 })).map(({ rolloutId }) => rolloutId);
    expect(new Set(left)).toEqual(new Set([unsent, underWay, atTheTime, later]));
    expect((await ledger.read(underWay)).journal).toEqual([line(1)]);
  });

  test('a release that was taken leaves nothing in the file once its day is over', async () => {
    const file = join(folder, 'releases.db');
    const { ledger, forgetExpired, end } = openSqliteLedger(file);
    ends.push(end);
    await ledger.takeRelease({ release: 'old', rolloutId: 'release-1', at: NOW }, NOW);
    await ledger.takeRelease({ release: 'new', rolloutId: 'release-2', at: NOW }, NOW + 60_000);
    const stored = () => {
      const sql = "SELECT DISTINCT pk FROM field WHERE pk LIKE 'release#%' ORDER BY pk";
      const database = new DatabaseSync(file);
      const found = database.prepare(sql).all();
      database.close();
      return found.map(({ pk }) => pk);
    };
    await forgetExpired(NOW + ONCE_MS - 1);
    expect(stored()).toEqual(['release#new', 'release#old']);
    await forgetExpired(NOW + ONCE_MS);
    expect(stored()).toEqual(['release#new']);
  });
});

describe('SQLite ledger file', () => {
  test('L04: what was written is there after the file is opened again', async () => {
    const file = join(folder, 'ledger.db');
    const first = openSqliteLedger(file);
    const request = requestOf(randomUUID());
    const lease = await first.ledger.open(request, NOW, UNTIL, beginWith(planOf(3)));
    await first.ledger.append(lease, [line(1)]);
    const record = await first.ledger.read(request.rolloutId);
    first.end();

    const ledger = connect(file);

    expect(await ledger.read(request.rolloutId)).toEqual(record);
    expect(await ledger.open(request, NOW, UNTIL)).toEqual(lease);
  });

  test('only its owner can read the file, its companions and its new folder', async () => {
    const parent = join(folder, 'state', 'steproll');
    const file = join(parent, 'ledger.db');
    const ledger = connect(file);
    await ledger.open(requestOf(randomUUID()), NOW, UNTIL);

    expect([parent, file, `${file}-wal`].map(modeOf)).toEqual(['700', '600', '600']);
  });

  test('X01: of two connections to one file exactly one gets the lease', async () => {
    const file = join(folder, 'ledger.db');
    const runtimeId = randomUUID();
    const [one, other] = [connect(file), connect(file)];

    await one.open(requestOf(runtimeId), NOW, UNTIL);

    await expectError('LeaseHeld', other.open(requestOf(runtimeId), NOW, UNTIL));
  });

  test('X01, L06: of four processes on one new file exactly one gets each lease', async () => {
    const runtimeIds = Array.from({ length: 20 }, (_, n) => `runtime-${n}`);
    const processes = Array.from({ length: 4 }, () => startProcess(join(folder, 'ledger.db')));
    await Promise.all(processes.map((started) => once(started, 'message')));

    const answers = await Promise.all(
      processes.map(async (started) => {
        started.send(runtimeIds.map(requestOf));
        const [names] = await once(started, 'message');
        return names as string[];
      }),
    );
    for (const started of processes) started.disconnect();

    const perRuntime = runtimeIds.map((_, n) => answers.map((names) => names[n]).sort());
    expect(perRuntime).toEqual(
      runtimeIds.map(() => ['LeaseHeld', 'LeaseHeld', 'LeaseHeld', 'opened']),
    );
  });

  test('L06: what a process held that is gone, another one may take at once', async () => {
    const file = join(folder, 'ledger.db');
    const request = requestOf(randomUUID());
    const gone = startProcess(file);
    await once(gone, 'message');
    gone.send([request]);
    expect(await once(gone, 'message')).toEqual([['opened'], undefined]);
    const ledger = connect(file);
    const second = requestOf(request.runtimeId);
    await expectError('LeaseHeld', ledger.open(second, NOW, UNTIL));

    gone.disconnect();
    await once(gone, 'exit');

    expect((await ledger.open(second, NOW, UNTIL)).epoch).toBe(2);
    await expectError('LeaseLost', ledger.open(request, NOW, UNTIL));
    expect(await ledger.read(request.rolloutId)).toMatchObject({
      outcome: { outcome: 'Errored', reason: 'LeaseLost', cleanup: 'none' },
      unsent: [`${request.rolloutId}/9-ended`],
    });
  });

  test('L05: on a full disk a write fails by name, and stores nothing', async () => {
    const file = join(folder, 'ledger.db');
    const exec = jest.spyOn(DatabaseSync.prototype, 'exec');
    const ledger = connect(file);
    const database = exec.mock.contexts[0] as DatabaseSync;
    exec.mockRestore();
    const lease = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    // SQLite itself then answers SQLITE_FULL, as it does when the disk is full.
    database.exec('PRAGMA max_page_count = 1');

    const append = ledger.append(
      lease,
      planOf(1_000).endpoints.map(({ endpointId }) => ({ ...line(1), endpointId })),
    );

    await expect(append).rejects.toMatchObject({
      name: 'LedgerUnavailable',
      message: expect.stringMatching(/ Free space on its disk\.$/),
      cause: { errcode: 13 },
    });
    expect((await ledger.read(lease.rolloutId)).journal).toEqual([]);
    database.exec('PRAGMA max_page_count = 1000000');
    await ledger.append(lease, [line(1)]);
    expect((await ledger.read(lease.rolloutId)).journal).toEqual([line(1)]);
  });

  // https://www.sqlite.org/rescode.html
  test.each([
    ['SQLITE_BUSY_RECOVERY', 261, /locked: .*try again/],
    ['SQLITE_BUSY_SNAPSHOT', 517, /locked: .*try again/],
    ['SQLITE_IOERR_WRITE', 778, /disk is full/],
    ['SQLITE_CANTOPEN_FULLPATH', 782, /disk is full/],
    ['SQLITE_READONLY_DIRECTORY', 1544, /writable/],
  ])(
    'L05: an error that SQLite tells in detail names what helps, too: %s',
    async (name, errcode, help) => {
      const ledger = connect(join(folder, 'ledger.db'));
      const exec = jest.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
        throw Object.assign(new Error(name), { errcode });
      });
      const error = await ledger.open(requestOf(randomUUID()), NOW, UNTIL).catch((one) => one);
      exec.mockRestore();
      expect(error).toMatchObject({
        name: 'LedgerUnavailable',
        message: expect.stringMatching(help),
      });
    },
  );

  test('a file that is no database is refused, and left as it is', () => {
    const file = join(folder, 'ledger.db');
    const text = 'not a database, but long enough to be taken for a header of one';
    writeFileSync(file, text);

    expect(() => openSqliteLedger(file)).toThrow(
      expect.objectContaining({
        name: 'LedgerUnavailable',
        message: expect.stringContaining(file),
        cause: expect.objectContaining({ errcode: 26 }),
      }),
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('a file that cannot be created is refused', () => {
    writeFileSync(join(folder, 'occupied'), '');

    expect(() => openSqliteLedger(join(folder, 'occupied', 'state', 'ledger.db'))).toThrow(
      expect.objectContaining({ name: 'LedgerUnavailable' }),
    );
  });

  test.each([
    { what: 'a newer steproll', sql: 'PRAGMA user_version = 7' },
    { what: 'another program', sql: 'CREATE TABLE notes (text TEXT)' },
  ])('A11: a database of $what is refused', ({ sql }) => {
    const file = join(folder, 'ledger.db');
    alter(file, sql);

    expect(() => openSqliteLedger(file)).toThrow(
      expect.objectContaining({ name: 'IncompatibleState' }),
    );
  });

  test('A11: a file of an older number is refused, and left as it is', () => {
    const file = join(folder, 'ledger.db');
    alter(file, `${SCHEMA_1} PRAGMA user_version = 1;`);

    expect(() => openSqliteLedger(file)).toThrow(
      expect.objectContaining({
        name: 'IncompatibleState',
        message: `The ledger ${file} cannot be read: it has number 1, this steproll reads 6. Once no rollout of it is under way, move it away to start a new history.`,
      }),
    );
    expect(tablesOf(file)).toEqual(['journal', 'lease', 'rollout']);
  });

  test.each([
    { what: 'of a newer steproll', request: '{"schemaVersion":7,"value":{}}' },
    { what: 'that lacks a field', request: '{"schemaVersion":6,"value":{"rolloutId":"r"}}' },
    { what: 'of an older steproll', request: '{"schemaVersion":1,"value":{}}' },
    { what: 'that is cut off', request: '{"schemaVersion":6,"val' },
  ])('A11: a record $what is refused', async ({ request }) => {
    const file = join(folder, 'ledger.db');
    const ledger = connect(file);
    const { rolloutId } = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    alterBy(file, (database) => storeField(database, rolloutId, 'request', request));

    await expectError('IncompatibleState', ledger.read(rolloutId));
  });

  test('A11: signals and events of kinds that this version does not know change nothing', async () => {
    const file = join(folder, 'ledger.db');
    const ledger = connect(file);
    const { rolloutId, runtimeId } = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    alterBy(file, (database) => {
      storeField(database, rolloutId, 'signals', PAUSE);
      storeField(database, rolloutId, 'event', PAUSED, eventKey(rolloutId, 'paused'));
      // A field that is not known is skipped like one of a record.
      storeField(database, rolloutId, 'tomorrow' as Field, PAUSE);
    });
    await ledger.signal(rolloutId, ABORT);

    expect((await ledger.hear({ rolloutId, runtimeId })).signals).toEqual([ABORT]);
    expect(await ledger.read(rolloutId)).toMatchObject({ signals: [ABORT], events: [] });
    expect(await ledger.close(rolloutId, SUCCEEDED, NOW, [])).toBeNull();
    expect(await ledger.close(rolloutId, SUCCEEDED, NOW, [ABORT])).toEqual(SUCCEEDED);
  });

  test.each([
    { what: 'its kind', understands: ['approve', 'hold'], said: {} },
    { what: 'what happens then', understands: ['abort'], said: { onFailure: 'hold' as const } },
  ])(
    'A11: a signal is refused, and not stored, when the rollout does not understand $what',
    async ({ understands, said }) => {
      const file = join(folder, 'ledger.db');
      const ledger = connect(file, { name: 'first', isGone: () => false });
      const request = requestOf(randomUUID());
      const { rolloutId, runtimeId } = await ledger.open(request, NOW, UNTIL);
      alterBy(file, (database) => storeField(database, rolloutId, 'understands', understands));

      await expectError('NotUnderstood', ledger.signal(rolloutId, { ...ABORT, ...said }));
      expect((await ledger.hear({ rolloutId, runtimeId })).signals).toEqual([]);

      // From now on this version runs it.
      await connect(file, { name: 'second', isGone: () => true }).open(request, NOW, UNTIL);
      await ledger.signal(rolloutId, { ...ABORT, ...said });
      expect((await ledger.hear({ rolloutId, runtimeId })).signals).toHaveLength(1);
    },
  );

  test('what has ended is soon in the one file, also while others have it open', async () => {
    const file = join(folder, 'ledger.db');
    const [ledger] = [connect(file), connect(file)];
    const { rolloutId } = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    await ledger.close(rolloutId, SUCCEEDED, NOW);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);

    let endedThere = false;
    while (!endedThere) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const alone = join(folder, `${randomUUID()}.db`);
      copyFileSync(file, alone);
      endedThere = hasEnded(alone, rolloutId);
    }
  });

  const AWAY = 'was moved away or deleted';
  test.each<[string, string, string, (file: string) => void]>([
    ['deleted', '', AWAY, (file) => rmSync(file)],
    ['moved away', '', AWAY, (file) => renameSync(file, `${file}.old`)],
    ['robbed of its log', '-wal', AWAY, (file) => rmSync(`${file}-wal`)],
    [
      'replaced',
      '',
      'was replaced by another one',
      (file) => {
        renameSync(file, `${file}.old`);
        writeFileSync(file, '');
      },
    ],
  ])(
    'L05: a file that was %s takes in nothing, and answers nothing',
    async (_, part, fate, lose) => {
      const file = join(folder, 'ledger.db');
      const ledger = connect(file);
      const lease = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
      lose(file);

      const message = `The ledger ${file}${part} ${fate} while it was in use: nothing more is done without it.`;
      for (const call of [
        () => ledger.append(lease, [line(1)]),
        () => ledger.renew(lease, UNTIL),
        () => ledger.read(lease.rolloutId),
        () => ledger.close(lease.rolloutId, SUCCEEDED, NOW),
        () => ledger.open(requestOf(randomUUID()), NOW, UNTIL),
      ]) {
        await expect(call()).rejects.toMatchObject({ name: 'LedgerUnavailable', message });
      }
    },
  );

  test('a file that is put back goes on', async () => {
    const file = join(folder, 'ledger.db');
    const ledger = connect(file);
    const lease = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    renameSync(file, `${file}.old`);
    await expectError('LedgerUnavailable', ledger.append(lease, [line(1)]));
    renameSync(`${file}.old`, file);

    await ledger.append(lease, [line(2)]);

    expect((await ledger.read(lease.rolloutId)).journal).toEqual([line(2)]);
  });

  test('a ledger that was ended says so by name', async () => {
    const { ledger, end } = openSqliteLedger(':memory:');
    end();

    await expectError('LedgerUnavailable', ledger.read('any'));
  });
});

function connect(file: string, owner?: LeaseOwner): Ledger {
  const { ledger, end } = openSqliteLedger(file, owner && { owner });
  ends.push(end);
  return ledger;
}

const ABORT: Signal = { kind: 'abort', at: NOW, wave: null, by: 'ann', reason: '' };

function alter(file: string, sql: string): void {
  alterBy(file, (database) => database.exec(sql));
}

function alterBy(file: string, change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file);
  change(database);
  database.close();
}

function hasEnded(file: string, rolloutId: string): boolean {
  const database = new DatabaseSync(file);
  try {
    const ended = "SELECT 1 FROM field WHERE name = 'endedAt' AND pk = ?";
    return database.prepare(ended).get(rolloutKey(rolloutId).pk) !== undefined;
  } catch {
    // At first there is not even a table in the file.
    return false;
  } finally {
    database.close();
  }
}

/** The tables of the first version, as far as they matter here. */
const SCHEMA_1 = `
  CREATE TABLE lease (runtime_id TEXT PRIMARY KEY) STRICT;
  CREATE TABLE rollout (rollout_id TEXT PRIMARY KEY, request TEXT NOT NULL) STRICT;
  CREATE TABLE journal (seq INTEGER PRIMARY KEY, entries TEXT NOT NULL) STRICT;
`;

function tablesOf(file: string): unknown[] {
  const database = new DatabaseSync(file);
  const rows = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  database.close();
  return rows.map(({ name }) => name);
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** A process that says when it is ready, then opens the rollouts it is sent and says what came of each. */
function startProcess(file: string): ChildProcess {
  const ledgerModule = new URL('../../../../lib/adapters/ledger/sqlite/ledger.ts', import.meta.url);
  const script = `
    import { openSqliteLedger } from '${ledgerModule.href}';
    process.once('message', async (requests) => {
      const { ledger, end } = openSqliteLedger(process.argv[1]);
      const names = [];
      for (const request of requests) {
        names.push(await ledger.open(request, ${NOW}, ${UNTIL}).then(() => 'opened', ({ name }) => name));
      }
      end();
      process.send(names);
    });
    // Alive, and so the holder of its leases, until it is let go.
    process.on('disconnect', () => process.exit());
    process.send('ready');
  `;
  return spawn(process.execPath, ['--input-type=module', '--eval', script, file], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}
