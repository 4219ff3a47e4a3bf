import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDynamoDbLedger } from '../../../lib/adapters/aws/stack.ts';
import { encodeRecord } from '../../../lib/contract/ledger/envelope.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { progressOf } from '../../domain/examples.ts';
import { beginWith } from '../../support/begin-with.ts';
import { createLedgerTable } from '../../support/create-ledger-table.ts';
import { PAUSE, PAUSED } from '../../support/from-tomorrow.ts';
import { transactingDynalite } from '../../support/transacting-dynalite.ts';
import { describeLedger } from '../ledger/ledger-contract.ts';
import { startOf } from '../ledger/ledger-events-contract.ts';
import {
  EXPIRED,
  expectError,
  heldBy,
  line,
  NOW,
  opened,
  planOf,
  requestOf,
  SUCCEEDED,
  UNTIL,
} from '../ledger/ledger-examples.ts';
import { datedRequest } from '../ledger/ledger-latest-request-contract.ts';

const tableName = 'steproll';

const server = transactingDynalite();
const clients: DynamoDBClient[] = [];

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await createLedgerTable(connect(), tableName);
});

afterAll(async () => {
  for (const client of clients) {
    client.destroy();
  }
  server.close();
  await once(server, 'close');
});

describeLedger('DynamoDB ledger', () => ledgerOn(connect()));

describeLedger('DynamoDB ledger, A12: every call arrives twice, as after a lost answer', () => {
  const client = connect();
  client.middlewareStack.add(
    (next) => async (args) => {
      await next(args).catch(() => undefined);
      return next(args);
    },
    { step: 'deserialize', priority: 'high' },
  );
  return ledgerOn(client);
});

describe('DynamoDB ledger', () => {
  test('a rollout of several megabytes is read to the end', async () => {
    const ledger = ledgerOn(connect());
    const lease = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    const entries = Array.from({ length: 4 }, (_, n) => ({
      ...line(n),
      message: randomBytes(500_000).toString('hex'),
    }));
    for (const entry of entries) {
      await ledger.append(lease, [entry]);
    }

    expect((await ledger.read(lease.rolloutId)).journal).toEqual(entries);
  });

  test('small entries share an item, so that to read them costs little, and many have items of their own', async () => {
    const client = connect();
    const ledger = ledgerOn(client);
    const lease = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    const entries = Array.from({ length: 100 }, (_, n) => line(n));
    for (const entry of entries) await ledger.append(lease, [entry]);
    await ledger.append(lease, []);

    expect((await ledger.read(lease.rolloutId)).journal).toEqual(entries);
    const sizes = await journalSizes(client, lease.rolloutId);
    expect(sizes.length).toBeLessThan(10);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
  });

  test('of entries that are added to the same item at once none gets lost', async () => {
    const ledger = ledgerOn(connect());
    const lease = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    await ledger.append(lease, [line(0)]);
    const others = [1, 2, 3, 4].map((n) => line(n));
    await Promise.all(others.map((entry) => ledger.append(lease, [entry])));

    const [first, ...rest] = (await ledger.read(lease.rolloutId)).journal;
    expect(first).toEqual(line(0));
    expect(rest).toHaveLength(others.length);
    expect(rest).toEqual(expect.arrayContaining(others));
  });

  test.each([
    { what: 'a new item of the journal is stored', before: [] },
    { what: 'entries are added to the last item', before: [line(0)] },
  ])(
    'A12: when $what twice, as after a lost answer, what others add in between is kept, and nothing is there twice',
    async ({ before }) => {
      const client = connect();
      const ledger = ledgerOn(connect());
      const lease = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
      if (before.length > 0) await ledger.append(lease, before);
      repeatWrite(client, 'journal#', () => ledger.append(lease, [line(2)]));

      await ledgerOn(client).append(lease, [line(1)]);

      const { journal } = await ledger.read(lease.rolloutId);
      expect(journal).toEqual([...before, line(1), line(2)]);
    },
  );

  test('X01: a lease that another rollout takes between our read and our write is theirs', async () => {
    const client = connect();
    const first = requestOf(randomUUID());
    beforeWrite(client, 'lease', () => ledgerOn(connect()).open(first, NOW, UNTIL));

    const second = requestOf(first.runtimeId);
    await expectError('LeaseHeld', ledgerOn(client).open(second, NOW, UNTIL));
    expect((await ledgerOn(connect()).open(first, NOW, UNTIL)).epoch).toBe(1);
  });

  test('X03: a renewal that slept through a take-over extends nothing', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const old = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    const second = requestOf(old.runtimeId);
    beforeWrite(client, 'lease', () => ledger.open(second, EXPIRED, EXPIRED + 1));

    await expectError('LeaseLost', ledgerOn(client).renew(old, EXPIRED * 2));
    const third = requestOf(old.runtimeId);
    expect((await ledger.open(third, EXPIRED * 2, EXPIRED * 2)).epoch).toBe(3);
  });

  test('X10: of an old holder that renews and a taker at that moment neither writes', async () => {
    const ledger = ledgerOn(connect());
    const old = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    const taker = connect();
    beforeWrite(taker, 'rollout', () => ledger.renew(old, EXPIRED));

    const second = requestOf(old.runtimeId);
    await expectError('LeaseHeld', ledgerOn(taker).open(second, EXPIRED, EXPIRED + 1));

    await expectError('RolloutNotFound', ledger.read(second.rolloutId));
    await expectError('LeaseLost', ledger.append(old, [line(1)]));
    await ledger.close(old.rolloutId, SUCCEEDED, EXPIRED);
    expect((await ledger.open(second, EXPIRED, EXPIRED + 1)).epoch).toBe(2);
  });

  test('X03: who is taken over while opening never starts', async () => {
    const client = connect();
    const request = requestOf(randomUUID());
    const second = requestOf(request.runtimeId);
    beforeWrite(client, 'rollout', () => ledgerOn(connect()).open(second, EXPIRED, EXPIRED + 1));

    await expectError('LeaseLost', ledgerOn(client).open(request, NOW, UNTIL));

    const ledger = ledgerOn(connect());
    await expectError('RolloutNotFound', ledger.read(request.rolloutId));
    await expectError('LeaseLost', ledger.open(request, EXPIRED, EXPIRED + 1));
    expect((await ledger.read(second.rolloutId)).epoch).toBe(2);
  });

  test('X03: who is taken over between its request and its lease is closed, not left open', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const slow = requestOf(randomUUID());
    const opening = connect();
    beforeWrite(opening, 'rollout', die);
    await expectError('LedgerUnavailable', ledgerOn(opening).open(slow, NOW, UNTIL));
    // It records its request just when the taker has seen that there is none.
    beforeWrite(client, 'rollout', () => ledger.open(slow, NOW, UNTIL));

    await ledgerOn(client).open(requestOf(slow.runtimeId), EXPIRED, EXPIRED + 1);

    expect(await ledger.read(slow.rolloutId)).toMatchObject({ outcome: { reason: 'LeaseLost' } });
  });

  test('X03: an append that slept through a take-over does not pass for recorded', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const old = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    const second = requestOf(old.runtimeId);
    beforeWrite(client, 'journal#', () => ledger.open(second, EXPIRED, EXPIRED + 1));

    await expectError('LeaseLost', ledgerOn(client).append(old, [line(1)]));
  });

  test('X03: an event that slept through a take-over is told: what it tells did happen', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const old = await opened(ledger);
    const second = requestOf(old.runtimeId);
    beforeWrite(client, 'event#', () => ledger.open(second, EXPIRED, EXPIRED + 1));

    await ledgerOn(client).recordEvent(old, startOf(old));

    expect((await ledger.read(old.rolloutId)).unsent).toContain(startOf(old).eventId);
  });

  test('a rollout that died while opening goes on where it was, and keeps others out', async () => {
    const client = connect();
    const request = requestOf(randomUUID());
    beforeWrite(client, 'rollout', die);
    await expectError('LedgerUnavailable', ledgerOn(client).open(request, NOW, UNTIL));
    const ledger = ledgerOn(connect());

    await expectError('LeaseHeld', ledger.open(requestOf(request.runtimeId), NOW, UNTIL));
    expect((await ledger.open(request, NOW + 1, UNTIL)).epoch).toBe(1);
  });

  test('a close that died before the lease was free is finished by the next one', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const lease = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    beforeWrite(client, 'lease', die);
    await expectError('LedgerUnavailable', ledgerOn(client).close(lease.rolloutId, SUCCEEDED, NOW));

    // Its end is to be told all the same.
    expect(await ledger.listUnsent()).toContain(lease.rolloutId);
    await expectError('LeaseLost', ledger.renew(lease, EXPIRED));
    await expectError('LeaseHeld', ledger.open(requestOf(lease.runtimeId), NOW, UNTIL));
    expect(await ledger.close(lease.rolloutId, SUCCEEDED, NOW)).toEqual(SUCCEEDED);
    expect((await ledger.open(requestOf(lease.runtimeId), NOW, UNTIL)).epoch).toBe(2);
  });

  test('A10: the lease of a rollout that died while opening is free when it is buried', async () => {
    const client = connect();
    const request = requestOf(randomUUID());
    beforeWrite(client, 'rollout', die);
    await expectError('LedgerUnavailable', ledgerOn(client).open(request, NOW, UNTIL));
    const ledger = ledgerOn(connect());
    expect(await heldBy(ledger, request.rolloutId)).toHaveLength(1);

    await ledger.bury(request.rolloutId);

    expect(await heldBy(ledger, request.rolloutId)).toEqual([]);
    await expectError('LeaseLost', ledger.open(request, NOW, UNTIL));
    expect((await ledger.open(requestOf(request.runtimeId), NOW, UNTIL)).epoch).toBe(2);
  });

  test('A10: a lease that is taken while its rollout is buried is given back the next time', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const request = requestOf(randomUUID());
    beforeWrite(client, 'lease', () => ledger.bury(request.rolloutId));

    await expectError('LeaseLost', ledgerOn(client).open(request, NOW, UNTIL));
    await expectError('RolloutNotFound', ledger.read(request.rolloutId));
    expect(await heldBy(ledger, request.rolloutId)).toHaveLength(1);
    await ledger.bury(request.rolloutId);

    expect((await ledger.open(requestOf(request.runtimeId), NOW, UNTIL)).epoch).toBe(2);
  });

  test('A10: a rollout that is recorded while it is buried stays open', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const request = requestOf(randomUUID());
    beforeWrite(client, 'rollout', () => ledger.open(request, NOW, UNTIL));

    await ledgerOn(client).bury(request.rolloutId);

    await ledger.append(await ledger.open(request, NOW, UNTIL), [line(1)]);
  });

  test('X09: an abort between the read of a close and its write keeps the outcome from being stored', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const { rolloutId } = await opened(ledger);
    beforeWrite(client, 'rollout', () => ledger.signal(rolloutId, ABORT));

    expect(await ledgerOn(client).close(rolloutId, SUCCEEDED, NOW, [])).toBeNull();

    expect(await ledger.read(rolloutId)).toMatchObject({ outcome: null, signals: [ABORT] });
  });

  test('X09: an abort that a close overtakes is refused, and nobody reads it', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const { rolloutId } = await opened(ledger);
    beforeWrite(client, 'rollout', () => ledger.close(rolloutId, SUCCEEDED, NOW, []));

    await expectError('RolloutClosed', ledgerOn(client).signal(rolloutId, ABORT));

    expect(await ledger.read(rolloutId)).toMatchObject({ outcome: SUCCEEDED, signals: [] });
  });

  test('X03: an abort that comes while a lease is taken over is heard by who takes it', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const old = await opened(ledger);
    beforeWrite(client, 'rollout', () => ledger.signal(old.rolloutId, ABORT));

    await ledgerOn(client).open(requestOf(old.runtimeId), EXPIRED, EXPIRED + 1);

    expect(await ledger.read(old.rolloutId)).toMatchObject({ outcome: { outcome: 'Aborted' } });
  });

  test('A11: signals and events of kinds that this version does not know change nothing', async () => {
    const ledger = ledgerOn(connect());
    const { rolloutId, runtimeId } = await opened(ledger);
    await sayTomorrow(rolloutId);
    expect(await ledger.close(rolloutId, SUCCEEDED, NOW, [ABORT])).toBeNull();

    await ledger.signal(rolloutId, ABORT);
    expect((await ledger.hear({ rolloutId, runtimeId })).signals).toEqual([ABORT]);
    expect(await ledger.read(rolloutId)).toMatchObject({ signals: [ABORT], events: [] });
    expect(await ledger.close(rolloutId, SUCCEEDED, NOW, [])).toBeNull();
    expect(await ledger.close(rolloutId, SUCCEEDED, NOW, [ABORT])).toEqual(SUCCEEDED);
  });

  test('A11: to add to the journal takes nothing from it that a newer steproll has written', async () => {
    const client = DynamoDBDocumentClient.from(connect());
    const ledger = ledgerOn(connect());
    const { rolloutId, ...lease } = await opened(ledger);
    await ledger.append({ rolloutId, ...lease }, [line(0)]);
    const key = { pk: `rollout#${rolloutId}`, sk: 'journal#000000000001#000' };
    const newer = [{ ...line(0), tomorrow: 1 }];
    const Item = { ...key, parts: 1, data: gzipSync(encodeRecord(newer)) };
    await client.send(new PutCommand({ TableName: tableName, Item }));

    await ledger.append({ rolloutId, ...lease }, [line(1)]);

    const { Item: stored } = await client.send(new GetCommand({ TableName: tableName, Key: key }));
    expect(JSON.parse(gunzipSync(stored?.data).toString())).toMatchObject({
      value: [...newer, line(1)],
    });
    expect((await ledger.read(rolloutId)).journal).toEqual([line(0), line(1)]);
  });

  test.each([
    { what: 'its kind', understands: ['approve', 'hold'], said: {} },
    { what: 'what happens then', understands: ['abort'], said: { onFailure: 'hold' as const } },
  ])(
    'A11: a signal is refused, and not stored, when the rollout does not understand $what',
    async ({ understands, said }) => {
      const ledger = ledgerOn(connect());
      const lease = await opened(ledger);
      await understandOnly(lease.rolloutId, understands);

      await expectError('NotUnderstood', ledger.signal(lease.rolloutId, { ...ABORT, ...said }));
      expect((await ledger.hear(lease)).signals).toEqual([]);

      // From now on this version runs it.
      await ledger.saveProgress(lease, progressOf(0, []));
      await ledger.signal(lease.rolloutId, { ...ABORT, ...said });
      expect((await ledger.hear(lease)).signals).toHaveLength(1);
    },
  );

  test('an append that failed half-way leaves nothing to be read', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const lease = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
    beforeWrite(client, 'journal#', die);
    const long = { ...line(1), message: randomBytes(500_000).toString('hex') };

    await expectError('LedgerUnavailable', ledgerOn(client).append(lease, [long]));
    await ledger.append(lease, [line(2)]);

    expect((await ledger.read(lease.rolloutId)).journal).toEqual([line(2)]);
  });

  test('a plan that failed half-way was never frozen', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const request = requestOf(randomUUID());
    const openWith = (on: Ledger, endpoints: number) =>
      on.open(request, NOW, UNTIL, beginWith(planOf(endpoints)));
    beforeWrite(client, 'rollout', die);

    await expectError('LedgerUnavailable', openWith(ledgerOn(client), 3));

    await expectError('RolloutNotFound', ledger.read(request.rolloutId));
    await openWith(ledger, 4);
    expect((await ledger.read(request.rolloutId)).plan).toEqual(planOf(4));
  });

  test('E10: a newer request that comes between our read and our write stays', async () => {
    const client = connect();
    const ledger = ledgerOn(connect());
    const newer = datedRequest(randomUUID(), { at: NOW + 1 });
    beforeWrite(client, 'latest', () => ledger.recordLatestRequest(newer, NOW));

    await ledgerOn(client).recordLatestRequest(datedRequest(newer.runtimeId), NOW);

    expect(await ledger.findLatestRequest(newer)).toEqual(newer);
  });

  test('E10: a request that changes under every read is LedgerUnavailable, not a loop', async () => {
    const client = connect();
    const runtimeId = randomUUID();
    let at = NOW - 1_000;
    const comeBetween = () => {
      beforeWrite(client, 'latest', comeBetween);
      at += 1;
      return ledgerOn(connect()).recordLatestRequest(datedRequest(runtimeId, { at }), NOW);
    };
    beforeWrite(client, 'latest', comeBetween);

    await expect(
      ledgerOn(client).recordLatestRequest(datedRequest(runtimeId), NOW),
    ).rejects.toMatchObject({
      name: 'LedgerUnavailable',
      message: expect.stringContaining('changed 10 times'),
    });
  });

  test('a call that fails for a moment is repeated by the SDK', async () => {
    const client = connect();
    let calls = 0;
    client.middlewareStack.add(
      (next) => (args) => {
        calls += 1;
        return calls === 1 ? Promise.reject(failure('InternalServerError', 500)) : next(args);
      },
      { step: 'deserialize' },
    );

    await expectError('RolloutNotFound', ledgerOn(client).read(randomUUID()));
    expect(calls).toBe(2);
  });

  test('A13: a throttled call that the SDK gives up on is LedgerUnavailable', async () => {
    const client = connect({ maxAttempts: 1 });
    client.middlewareStack.add(() => () => Promise.reject(failure('ThrottlingException', 400)), {
      step: 'deserialize',
    });

    await expect(ledgerOn(client).read('any')).rejects.toMatchObject({
      name: 'LedgerUnavailable',
      message: expect.stringContaining(tableName),
      cause: { name: 'ThrottlingException' },
    });
  });

  test.each([
    {
      what: 'of a newer steproll',
      item: { request: gzipSync('{"schemaVersion":6,"value":1}') },
    },
    {
      what: 'of an older steproll',
      item: { request: gzipSync('{"schemaVersion":1,"value":1}') },
    },
    { what: 'with a field of another kind', item: { request: gzipSync('{}'), epoch: 'one' } },
  ])('A11: an item $what is refused', async ({ item }) => {
    const client = DynamoDBDocumentClient.from(connect());
    const rolloutId = randomUUID();
    const Item = {
      ...{ pk: `rollout#${rolloutId}`, sk: 'rollout', runtimeId: 'r', epoch: 1, startedAt: NOW },
      ...item,
    };
    await client.send(new PutCommand({ TableName: tableName, Item }));

    await expect(createDynamoDbLedger(tableName, {}, client).read(rolloutId)).rejects.toMatchObject(
      {
        name: 'IncompatibleState',
        message: expect.stringContaining(`The ledger table ${tableName} cannot be read: `),
      },
    );
  });

  test('a missing table is LedgerUnavailable', async () => {
    const ledger = createDynamoDbLedger('missing', {}, DynamoDBDocumentClient.from(connect()));

    await expect(ledger.open(requestOf('any'), NOW, UNTIL)).rejects.toMatchObject({
      name: 'LedgerUnavailable',
      cause: { name: 'ResourceNotFoundException' },
    });
  });
});

function connect(options: DynamoDBClientConfig = {}): DynamoDBClient {
  const client = new DynamoDBClient({
    ...options,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  clients.push(client);
  return client;
}

async function journalSizes(client: DynamoDBClient, rolloutId: string): Promise<number[]> {
  const { Items = [] } = await DynamoDBDocumentClient.from(client).send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :journal)',
      ExpressionAttributeValues: { ':pk': `rollout#${rolloutId}`, ':journal': 'journal#' },
    }),
  );
  return Items.map(({ data }) => data.length);
}

function ledgerOn(client: DynamoDBClient): Ledger {
  return createDynamoDbLedger(tableName, {}, DynamoDBDocumentClient.from(client));
}

/** Runs `interrupt` once, just before the nth write of an item whose sort key begins with `prefix`. */
function beforeWrite(
  client: DynamoDBClient,
  prefix: string,
  interrupt: () => Promise<unknown>,
): void {
  let isFirst = true;
  client.middlewareStack.add(
    (next) => async (args) => {
      if (isWriteOf(args.request, prefix)) {
        const comesNow = isFirst;
        isFirst = false;
        if (comesNow) await interrupt();
      }
      return next(args);
    },
    { step: 'finalizeRequest' },
  );
}

/** The first write of an item whose sort key begins with `prefix` arrives a second time, after `between`. */
function repeatWrite(
  client: DynamoDBClient,
  prefix: string,
  between: () => Promise<unknown>,
): void {
  let isAgain = false;
  client.middlewareStack.add(
    (next) => async (args) => {
      const first = await next(args).catch(() => undefined);
      if (isAgain || !isWriteOf(args.request, prefix)) return first ?? next(args);
      isAgain = true;
      await between();
      return next(args);
    },
    { step: 'deserialize', priority: 'high' },
  );
}

function isWriteOf(request: unknown, prefix: string): boolean {
  const { headers, body } = request as { headers: Record<string, string>; body: Uint8Array };
  const { Key, Item } = JSON.parse(new TextDecoder().decode(body));
  const writes = /\.(Put|Update)Item$/.test(headers['x-amz-target'] ?? '');
  return writes && (Key ?? Item).sk.S.startsWith(prefix);
}

/** The process dies, or its network does: the write is never sent. */
async function die(): Promise<never> {
  throw new Error('died');
}

function failure(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });
}

const ABORT: Signal = { kind: 'abort', at: NOW, wave: null, by: 'ann', reason: 'wrong version' };

async function sayTomorrow(rolloutId: string): Promise<void> {
  const client = DynamoDBDocumentClient.from(connect());
  const pk = `rollout#${rolloutId}`;
  await client.send(
    new UpdateCommand({
      TableName: tableName,
      Key: { pk, sk: 'rollout' },
      UpdateExpression: 'SET signals = :said',
      ExpressionAttributeValues: { ':said': [gzipSync(encodeRecord(PAUSE))] },
    }),
  );
  const Item = { pk, sk: 'event#paused', event: gzipSync(encodeRecord(PAUSED)) };
  await client.send(new PutCommand({ TableName: tableName, Item }));
}

async function understandOnly(rolloutId: string, words: readonly string[]): Promise<void> {
  await DynamoDBDocumentClient.from(connect()).send(
    new UpdateCommand({
      TableName: tableName,
      Key: { pk: `rollout#${rolloutId}`, sk: 'rollout' },
      UpdateExpression: 'SET understands = :words',
      ExpressionAttributeValues: { ':words': words },
    }),
  );
}
