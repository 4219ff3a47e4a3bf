import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createDynamoDbLedger } from '../../../lib/adapters/aws/stack.ts';
import type { Lease } from '../../../lib/domain/rollout/lease.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { progressOf } from '../../domain/examples.ts';
import { createLedgerTable } from '../../support/create-ledger-table.ts';
import { type AskedOfTable, transactingDynalite } from '../../support/transacting-dynalite.ts';
import { ASKS } from '../ledger/ledger-answers-contract.ts';
import { NOW, opened, SUCCEEDED } from '../ledger/ledger-examples.ts';

// What somebody writes past the ledger to the items that people may write.

const asked: AskedOfTable[] = [];
const server = transactingDynalite((one) => asked.push(one));
let table: DynamoDBDocumentClient;
let ledger: Ledger;
let lease: Lease;
let rolloutId = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  await createLedgerTable(client, 'ledger');
  table = DynamoDBDocumentClient.from(client);
  ledger = createDynamoDbLedger('ledger', { now: () => NOW }, table);
});

afterAll(async () => {
  table.destroy();
  server.close();
  await once(server, 'close');
});

/** A rollout that waits for people. */
beforeEach(async () => {
  lease = await opened(ledger);
  rolloutId = lease.rolloutId;
  await ledger.saveProgress(lease, progressOf(0, []), ASKS);
});

const YES: Signal = { kind: 'approve', at: NOW, wave: 0, by: 'bob', reason: '', key: 'bob' };

async function write(pk: string, sk: string, item: Readonly<Record<string, unknown>>) {
  const names = Object.keys(item);
  await table.send(
    new UpdateCommand({
      TableName: 'ledger',
      Key: { pk, sk },
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join()}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, item[name]])),
    }),
  );
}

test.each(['lease', 'asked', 'event'])(
  'what passes for something unfinished (%s) is in no list',
  async (openAs) => {
    const lists = () =>
      Promise.all([
        ...[ledger.listHeld(), ledger.listWaiting(), ledger.listUnsent()],
        ...[ledger.list({ limit: 9 }), ledger.list({ runtimeId: lease.runtimeId, limit: 1 })],
      ]);
    const before = await lists();
    expect(before[0]).toContainEqual(expect.objectContaining({ rolloutId }));
    expect(before[4]).toHaveLength(1);

    for (const [pk, of] of [
      ['yes#ann', lease.runtimeId],
      [`answers#${rolloutId}`, 5],
    ] as const) {
      // It is newer than all others.
      const listed = { listedIn: 'all', startedAt: 9e15, request: 'junk', epoch: 1, outcome: 7 };
      await write(pk, openAs, { openAs, rolloutId: of, ...listed, runtimeId: lease.runtimeId });
    }

    expect(await lists()).toEqual(before);
  },
);

test.each<[string, unknown]>([
  ['no list', 'junk'],
  ['a list of something else', [1, 'no']],
  ['no record', [new Uint8Array([1, 2])]],
  ['a record that is far larger than its item', [gzipSync(Buffer.alloc(50_000_000, 32))]],
])("an answer that is %s is none, and stands in nobody else's way", async (_, signals) => {
  await write(`answers#${rolloutId}`, 'ann', { rolloutId: 5, signals: 'junk' });
  await write('yes#ann', rolloutId, { signals });
  await ledger.signal(rolloutId, YES);

  expect((await ledger.hear(lease)).signals).toEqual([YES]);
  expect((await ledger.read(rolloutId)).signals).toEqual([YES]);
  expect(await ledger.stopAsking(lease)).toEqual([YES]);
  expect(await ledger.close(rolloutId, SUCCEEDED, NOW, [YES])).toEqual(SUCCEEDED);
});

test.each<[string, Signal]>([
  ['an abort', { kind: 'abort', at: NOW + 1, wave: null, by: 'eve', reason: '' }],
  ["another's no", { ...YES, kind: 'reject', by: 'eve', key: 'eve' }],
])('X09: an answer that is removed meanwhile does not hide %s', async (_, said) => {
  await ledger.signal(rolloutId, YES);
  const { signals } = await ledger.read(rolloutId);
  expect(signals).toHaveLength(1);
  await ledger.signal(rolloutId, said);
  await write('yes#bob', rolloutId, { signals: [] });

  expect(await ledger.close(rolloutId, SUCCEEDED, NOW, signals)).toBeNull();

  const { signals: left } = await ledger.read(rolloutId);
  expect(left).toEqual([said]);
  expect(await ledger.close(rolloutId, SUCCEEDED, NOW, left)).toEqual(SUCCEEDED);
});

test("many notes are read in a few calls, and beyond 500 of them nobody's yes counts, but a no does", async () => {
  const no: Signal = { ...YES, kind: 'reject', at: NOW + 1 };
  await ledger.signal(rolloutId, YES);
  await ledger.signal(rolloutId, no);
  // With bob's note these are as many as are read.
  for (let note = 1; note < 500; note += 1) {
    await write(`answers#${rolloutId}`, `c${note}`, { rolloutId });
  }
  asked.length = 0;
  expect((await ledger.hear(lease)).signals).toEqual([YES, no]);
  expect(asked.length).toBeLessThan(10);

  await write(`answers#${rolloutId}`, 'one more', { rolloutId });
  expect((await ledger.hear(lease)).signals).toEqual([no]);
});
