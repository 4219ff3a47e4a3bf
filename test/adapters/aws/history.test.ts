import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import dynalite from 'dynalite';
import { createDynamoDbLedger } from '../../../lib/adapters/aws/stack.ts';
import type { Lease } from '../../../lib/domain/rollout/lease.ts';
import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import type { RolloutRequest } from '../../../lib/domain/rollout/request.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { beginWith } from '../../support/begin-with.ts';
import { createLedgerTable } from '../../support/create-ledger-table.ts';
import { startOf } from '../ledger/ledger-events-contract.ts';
import {
  ABORTED,
  EXPIRED,
  expectError,
  line,
  NOW,
  planOf,
  requestOf,
  rollbackOf,
  SUCCEEDED,
  UNTIL,
} from '../ledger/ledger-examples.ts';
import { datedRequest } from '../ledger/ledger-latest-request-contract.ts';

const tableName = 'ledger';
const DAY = 24 * 3_600_000;
const DAYS = 90;
/** A day after nobody reads it any more. */
const EXPIRES_AT = (NOW + (DAYS + 1) * DAY) / 1000;

const server = dynalite({ createTableMs: 0 });
let table: DynamoDBDocumentClient;
/** Is called before each write to the table. */
let beforeWrite: (input: object) => void | Promise<void> = () => undefined;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  await createLedgerTable(client, tableName);
  table = DynamoDBDocumentClient.from(client);
  client.middlewareStack.add((next) => async (args) => {
    await beforeWrite(args.input);
    return next(args);
  });
});

afterAll(async () => {
  table.destroy();
  server.close();
  await once(server, 'close');
});

/** @param later Milliseconds since `NOW`. */
function ledgerAt(later = 0, historyDays: number | undefined = DAYS): Ledger {
  const now = () => NOW + later;
  return createDynamoDbLedger(tableName, { days: historyDays, now }, table);
}

/** For how long a reader that was told no days keeps a rollout. */
function ledgerWithoutDays(later = 0): Ledger {
  return createDynamoDbLedger(tableName, { now: () => NOW + later }, table);
}

interface Row {
  readonly pk: string;
  readonly sk: string;
  readonly expiresAt?: number;
}

async function rowsOf(rolloutId: string): Promise<Row[]> {
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': `rollout#${rolloutId}` },
    }),
  );
  return Items as Row[];
}

/** As DynamoDB does it some time after its time has come. */
async function remove({ pk, sk }: Row): Promise<void> {
  await table.send(new DeleteCommand({ TableName: tableName, Key: { pk, sk } }));
}

/** Rolls with a plan of several items, a journal of two, a way back and an event. */
async function begin(ledger: Ledger, request: RolloutRequest = requestOf(randomUUID())) {
  const endpoints = planOf(1).endpoints.map((one) => ({
    ...one,
    name: randomBytes(400_000).toString('hex'),
  }));
  const plan = { ...planOf(1), endpoints };
  const lease = await ledger.open(request, NOW - 1_000, UNTIL, beginWith(plan));
  await ledger.append(lease, [line(1)]);
  await ledger.append(lease, [{ ...line(2), message: randomBytes(2_000).toString('hex') }]);
  await ledger.freezeRollback(lease, { cause: ABORTED, plan: planOf(1), seen: [] });
  await ledger.recordEvent(lease, startOf(lease));
  return lease;
}

describe('a rollout in a table that keeps 90 days', () => {
  test('is to be removed whole from a day after that on, once it has ended, and nothing else is', async () => {
    const ledger = ledgerAt();
    const lease = await begin(ledger);
    const { rolloutId, runtimeId } = lease;
    expect((await rowsOf(rolloutId)).filter(({ expiresAt }) => expiresAt !== undefined)).toEqual(
      [],
    );
    await ledger.recordLatestRequest(datedRequest(runtimeId), NOW);
    const hold = {
      id: randomUUID(),
      kind: 'freeze',
      by: 'ada',
      reason: 'a look',
      at: NOW,
    } as const;
    await ledger.addHold({ ...hold, scope: { runtimeId }, until: NOW + DAY }, NOW);
    const other = await begin(ledger);

    await ledger.close(rolloutId, SUCCEEDED, NOW);

    const rows = await rowsOf(rolloutId);
    const kinds = new Set(rows.map(({ sk }) => sk.split('#')[0]));
    expect(kinds).toEqual(new Set(['event', 'journal', 'plan', 'rollback', 'rollout']));
    expect(rows.length).toBeGreaterThan(6);
    expect(new Set(rows.map(({ expiresAt }) => expiresAt))).toEqual(new Set([EXPIRES_AT]));
    const { Items = [] } = await table.send(new ScanCommand({ TableName: tableName }));
    const timed = Items.filter(({ expiresAt }) => expiresAt !== undefined).map(({ pk }) => pk);
    const kept = [`runtime#${runtimeId}`, `rollout#${other.rolloutId}`, 'holds'];
    expect(Items.map(({ pk }) => pk)).toEqual(expect.arrayContaining(kept));
    expect(timed.filter((pk) => kept.includes(pk) || !pk.startsWith('rollout#'))).toEqual([]);
  });

  test('stays for ever where no days are said', async () => {
    const ledger = ledgerWithoutDays();
    const { rolloutId } = await begin(ledger);
    await ledger.close(rolloutId, SUCCEEDED, NOW);
    expect((await rowsOf(rolloutId)).filter(({ expiresAt }) => expiresAt !== undefined)).toEqual(
      [],
    );
    expect(await ledgerWithoutDays(10_000 * DAY).readSummary(rolloutId)).not.toBeNull();
  });

  test('is to be removed as well when it was taken back before it had begun', async () => {
    const ledger = ledgerAt();
    const request = requestOf(randomUUID());
    await ledger.enlist(request, acceptedAt(NOW), NOW);
    await ledger.withdraw(request.rolloutId, ABORTED, NOW);
    expect(await rowsOf(request.rolloutId)).toMatchObject([{ expiresAt: EXPIRES_AT }]);
  });

  test('is to be removed as well when another one has taken its lease over', async () => {
    const ledger = ledgerAt();
    const { rolloutId, runtimeId } = await begin(ledger);
    await ledger.open(requestOf(runtimeId), EXPIRED + 1, EXPIRED + DAY);
    const times = new Set((await rowsOf(rolloutId)).map(({ expiresAt }) => expiresAt));
    expect([...times]).toEqual([Math.ceil((EXPIRED + 1 + (DAYS + 1) * DAY) / 1000)]);
  });

  test.each([1, 2, 4])(
    'X05: is to be removed whole, although who closed it died after %s writes',
    async (writes) => {
      const ledger = ledgerAt();
      const { rolloutId, runtimeId } = await begin(ledger);
      let left = writes;
      beforeWrite = (input) => {
        if (!('UpdateExpression' in input)) return;
        left -= 1;
        if (left < 0) throw new Error('The function dies here.');
      };
      await expectError('LedgerUnavailable', ledger.close(rolloutId, SUCCEEDED, NOW));
      beforeWrite = () => undefined;
      // The sweep finds the lease, which is given back last.
      expect((await ledger.listHeld()).map((lease) => lease.runtimeId)).toContain(runtimeId);
      await ledger.close(rolloutId, SUCCEEDED, NOW + DAY);
      const times = new Set((await rowsOf(rolloutId)).map(({ expiresAt }) => expiresAt));
      expect([...times]).toEqual([EXPIRES_AT]);
      expect((await ledger.listHeld()).map((lease) => lease.runtimeId)).not.toContain(runtimeId);
    },
  );

  test('X05: is to be removed whole, although who closed it died and another one takes its lease', async () => {
    const ledger = ledgerAt();
    const { rolloutId, runtimeId } = await begin(ledger);
    let left = 1;
    beforeWrite = (input) => {
      if (!('UpdateExpression' in input)) return;
      left -= 1;
      if (left < 0) throw new Error('The function dies here.');
    };
    await expectError('LedgerUnavailable', ledger.close(rolloutId, SUCCEEDED, NOW));
    beforeWrite = () => undefined;
    await ledger.open(requestOf(runtimeId), EXPIRED + 1, EXPIRED + DAY);
    const times = new Set((await rowsOf(rolloutId)).map(({ expiresAt }) => expiresAt));
    expect([...times]).toEqual([EXPIRES_AT]);
  });

  test.each<[string, string, (ledger: Ledger, lease: Lease) => Promise<unknown>]>([
    ['an event', 'event#', (ledger, lease) => ledger.recordEvent(lease, startOf(lease))],
    ['a line of the journal', 'journal#', (ledger, lease) => ledger.append(lease, [line(1)])],
    [
      'a plan for the way back',
      'rollback#',
      (ledger, lease) => ledger.freezeRollback(lease, rollbackOf(1)),
    ],
  ])('is to be removed with %s that is written in the midst of its end', async (_, sk, write) => {
    const ledger = ledgerAt();
    const lease = await ledger.open(requestOf(randomUUID()), NOW - 1_000, UNTIL);
    beforeWrite = async (input) => {
      const { Key, Item } = input as { Key?: Row; Item?: Row };
      if (!(Key ?? Item)?.sk.startsWith(sk) || 'KeyConditionExpression' in input) return;
      beforeWrite = () => undefined;
      await ledger.close(lease.rolloutId, SUCCEEDED, NOW);
    };
    await write(ledger, lease).catch(() => undefined);
    const rows = await rowsOf(lease.rolloutId);
    expect(rows.map((row) => row.sk).filter((one) => one.startsWith(sk))).toHaveLength(1);
    expect(new Set(rows.map(({ expiresAt }) => expiresAt))).toEqual(new Set([EXPIRES_AT]));
  });

  test('that belongs to a group stays for 30 days more, because the group looks at it', async () => {
    const ledger = ledgerAt();
    const request = { ...requestOf(randomUUID()), parent: 'release-group' };
    const { rolloutId } = await begin(ledger, request);
    await ledger.close(rolloutId, SUCCEEDED, NOW);
    const [row] = await rowsOf(rolloutId);
    expect(row?.expiresAt).toBe(EXPIRES_AT + (30 * DAY) / 1000);
    expect(await ledgerAt((DAYS + 30) * DAY - 1).readSummary(rolloutId)).not.toBeNull();
    expect(await ledgerAt((DAYS + 30) * DAY).readSummary(rolloutId)).toBeNull();
  });
});

describe('a rollout that has left the history', () => {
  async function end() {
    const ledger = ledgerAt();
    const lease = await begin(ledger);
    await ledger.close(lease.rolloutId, SUCCEEDED, NOW);
    return lease;
  }

  async function expectGone(ledger: Ledger, rolloutId: string, runtimeId: string) {
    await expectError('RolloutNotFound', ledger.read(rolloutId));
    expect(await ledger.readSummary(rolloutId)).toBeNull();
    expect(await ledger.list({ runtimeId, limit: 10 })).toEqual([]);
    const all = (await ledger.list({ limit: 100 })).map((one) => one.rolloutId);
    expect(all).not.toContain(rolloutId);
  }

  test('is gone for everybody to the minute, although all of its items are there', async () => {
    const { rolloutId, runtimeId } = await end();
    const before = ledgerAt(DAYS * DAY - 1);
    expect((await before.read(rolloutId)).journal).toHaveLength(2);
    expect(await before.list({ runtimeId, limit: 10 })).toHaveLength(1);
    await expectGone(ledgerAt(DAYS * DAY), rolloutId, runtimeId);
  });

  test('takes no place in a list that ends where enough are listed', async () => {
    const runtimeId = randomUUID();
    const ledger = ledgerAt();
    const older = await begin(ledger, { ...requestOf(runtimeId), parent: 'release-group' });
    await ledger.close(older.rolloutId, SUCCEEDED, NOW);
    for (let number = 1; number <= 3; number += 1) {
      const newer = await ledger.open(requestOf(runtimeId), NOW + number, UNTIL);
      await ledger.close(newer.rolloutId, SUCCEEDED, NOW + number);
    }
    const listed = await ledgerAt((DAYS + 1) * DAY).list({ runtimeId, limit: 1 });
    expect(listed.map(({ rolloutId }) => rolloutId)).toEqual([older.rolloutId]);
  });

  test('is gone, whichever of its items is removed first', async () => {
    const { rolloutId } = await end();
    const rows = await rowsOf(rolloutId);
    for (const row of rows) {
      const { rolloutId: another, runtimeId } = await end();
      const same = (await rowsOf(another)).filter(
        ({ sk }) => sk.split('#')[0] === row.sk.split('#')[0] && sk.slice(-3) === row.sk.slice(-3),
      );
      await Promise.all(same.slice(0, 1).map(remove));
      await expectGone(ledgerAt((DAYS + 1) * DAY), another, runtimeId);
      // Who was told of no days sees by the items that they were to be removed.
      await expectError('RolloutNotFound', ledgerWithoutDays((DAYS + 1) * DAY).read(another));
    }
  });

  test.each(['plan', 'rollback'])(
    'has no half of it: without a part of its %s it is gone, whatever the clock of the reader says',
    async (field) => {
      const { rolloutId } = await end();
      const part = (await rowsOf(rolloutId)).find(({ sk }) => sk.startsWith(`${field}#`));
      await remove(part as Row);
      await expectError('RolloutNotFound', ledgerWithoutDays(0).read(rolloutId));
    },
  );

  test('A12: is not brought back by a close that comes again', async () => {
    const { rolloutId, runtimeId } = await end();
    for (const row of await rowsOf(rolloutId)) await remove(row);
    await expectError('RolloutNotFound', ledgerAt().close(rolloutId, SUCCEEDED, NOW));
    expect(await rowsOf(rolloutId)).toEqual([]);
    expect((await ledgerAt().open(requestOf(runtimeId), NOW, UNTIL)).epoch).toBe(2);
  });
});
