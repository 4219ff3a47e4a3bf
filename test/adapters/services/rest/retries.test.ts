import { describe, expect, test } from '@jest/globals';
import { backoff } from '../../../../lib/adapters/http/retry.ts';
import {
  clientOf,
  OPERATIONS,
  pageOf,
  rowsOf,
  run,
  sendJson,
  startHttpServer,
  thrownBy,
  WRITES,
} from '../../http/fault-server.ts';
import { createTestClock } from '../../http/test-clock.ts';

const sendOk = (operation: string, response: Parameters<typeof sendJson>[0]) =>
  sendJson(response, operation === 'list' ? { listData: [] } : rowsOf(1)[0]);

describe('429', () => {
  test('H14: a list waits for what Retry-After asks for', async () => {
    const clock = createTestClock();
    const sentAt: number[] = [];
    const server = await startHttpServer((_request, response, index) => {
      sentAt.push(clock.now());
      if (index === 0) {
        response.writeHead(429, { 'retry-after': '7' }).end();
      } else {
        sendOk('list', response);
      }
    });
    await clientOf(server.url, { clock }).list('r1');
    expect(sentAt).toHaveLength(2);
    expect((sentAt[1] ?? 0) - (sentAt[0] ?? 0)).toBeGreaterThanOrEqual(7_000);
  });

  test.each(WRITES)('H14: %s is sent once, and says when to ask again', async (operation) => {
    const clock = createTestClock();
    const server = await startHttpServer((_request, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end();
    });
    const error = await thrownBy(run(clientOf(server.url, { clock }), operation));
    expect(error).toMatchObject({ name: 'UpstreamThrottled', retryAfterSeconds: 7 });
    expect(server.received).toHaveLength(1);
    expect(clock.waits).toEqual([]);
  });

  test.each(WRITES)('H14: %s that has to wait is not sent at all', async (operation) => {
    const clock = createTestClock();
    const server = await startHttpServer((_request, response) => {
      response.writeHead(429, { 'retry-after': '3' }).end();
    });
    const client = clientOf(server.url, { clock });
    await thrownBy(client.stop('r1', 'e2'));
    expect(await thrownBy(run(client, operation))).toMatchObject({
      name: 'UpstreamThrottled',
      retryAfterSeconds: 3,
      message: expect.stringMatching(/^nothing was sent/),
    });
    expect(server.received).toHaveLength(1);
  });

  test('H14: nothing else is sent before that time either', async () => {
    const clock = createTestClock();
    const startedAt = clock.now();
    const server = await startHttpServer((_request, response, index) => {
      if (index === 0) {
        response.writeHead(429, { 'retry-after': '25' }).end();
      } else {
        response.end();
      }
    });
    const client = clientOf(server.url, { clock });
    await thrownBy(client.roll('r1', 'e1', 2));
    clock.advance(10_000);
    expect(await thrownBy(client.stop('r1', 'e2'))).toMatchObject({
      name: 'UpstreamThrottled',
      retryAfterSeconds: 15,
    });
    expect(server.received).toHaveLength(1);
    clock.advance(15_000);
    await client.stop('r1', 'e2');
    expect(server.received).toHaveLength(2);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(25_000);
  });

  test('H14: pages that are read side by side wait together', async () => {
    const clock = createTestClock();
    let limitedUntil = 0;
    let early = 0;
    const server = await startHttpServer(({ query }, response, index) => {
      if (clock.now() < limitedUntil) {
        early += 1;
      }
      if (index === 3) {
        limitedUntil = clock.now() + 5_000;
        response.writeHead(429, { 'retry-after': '5' }).end();
      } else {
        sendJson(response, pageOf(rowsOf(500), query));
      }
    });
    const client = clientOf(server.url, { clock, pageSize: 10, maxPagesInFlight: 1 });
    expect(await client.list('r1')).toHaveLength(500);
    expect(early).toBe(0);
  });

  test.each(OPERATIONS)(
    'H14: %s leaves a wait of more than 20 s to the caller',
    async (operation) => {
      const clock = createTestClock({ deadlineMs: 60_000 });
      const server = await startHttpServer((_request, response) => {
        response.writeHead(429, { 'retry-after': '21' }).end('slow down');
      });
      const error = await thrownBy(
        run(clientOf(server.url, { clock, deadlineMs: 60_000 }), operation),
      );
      expect(error).toMatchObject({
        name: 'UpstreamThrottled',
        httpStatus: 429,
        retryAfterSeconds: 21,
      });
      expect(server.received).toHaveLength(1);
      expect(clock.waits).toEqual([]);
    },
  );

  test('H14: a wait of 19 s is made where the deadline allows it', async () => {
    const clock = createTestClock({ deadlineMs: 60_000 });
    const server = await startHttpServer((_request, response, index) => {
      if (index === 0) response.writeHead(429, { 'retry-after': '19' }).end();
      else sendOk('list', response);
    });
    await clientOf(server.url, { clock, deadlineMs: 60_000 }).list('r1');
    expect(server.received).toHaveLength(2);
  });

  test('H14: a wait that does not fit before the deadline is left to the caller', async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(429, { 'retry-after': '10' }).end();
    });
    const error = await thrownBy(clientOf(server.url).list('r1'));
    expect(error).toMatchObject({ name: 'UpstreamThrottled', retryAfterSeconds: 10 });
    expect(server.received).toHaveLength(1);
  });

  test('H15: Retry-After as a date counts from the Date of the answer', async () => {
    const clock = createTestClock();
    const server = await startHttpServer((_request, response, index) => {
      if (index > 0) return sendOk('list', response);
      response.writeHead(429, {
        date: 'Mon, 01 Jan 2001 00:00:00 GMT',
        'retry-after': 'Mon, 01 Jan 2001 00:00:06 GMT',
      });
      response.end();
    });
    await clientOf(server.url, { clock, random: () => 0 }).list('r1');
    expect(clock.waits).toEqual([6_000]);
  });

  test.each([
    ['-1', [100, 200]],
    ['soon', [100, 200]],
    ['Mon, 01 Jan 2001 00:00:00 GMT', [100, 200]],
  ])('H15: Retry-After %j waits like any other retry', async (retryAfter, waits) => {
    const clock = createTestClock();
    const server = await startHttpServer((_request, response) => {
      response.writeHead(429, { 'retry-after': retryAfter }).end();
    });
    expect(await thrownBy(clientOf(server.url, { clock }).list('r1'))).toMatchObject({
      name: 'UpstreamThrottled',
    });
    expect(clock.waits).toEqual(waits);
  });

  test('H15: Retry-After is believed up to 300 s', async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(429, { 'retry-after': '999999' }).end();
    });
    expect(await thrownBy(clientOf(server.url).list('r1'))).toMatchObject({
      name: 'UpstreamThrottled',
      retryAfterSeconds: 300,
    });
  });
});

describe('Retry-After on other answers', () => {
  /** The first answer is this one, all others are good. */
  const startOnce = (status: number) =>
    startHttpServer((request, response, index) => {
      if (index === 0) {
        response.writeHead(status, { 'retry-after': '60', location: '/' }).end();
      } else {
        sendOk(request.method === 'GET' ? 'list' : 'roll', response);
      }
    });

  test.each([302, 400, 401, 403, 404, 409, 418])(
    'H14: %d holds back no other call, and the hint stays with its error',
    async (status) => {
      const server = await startOnce(status);
      const client = clientOf(server.url);
      expect(await thrownBy(client.stop('r1', 'e1'))).toMatchObject({
        httpStatus: status,
        retryAfterSeconds: 60,
      });
      await client.stop('r1', 'e2');
      expect(server.received).toHaveLength(2);
    },
  );

  test.each([408, 425, 500, 502, 504])(
    'H14: %d on a list is waited for by that list alone',
    async (status) => {
      const server = await startOnce(status);
      const client = clientOf(server.url);
      expect(await thrownBy(client.list('r1'))).toMatchObject({
        httpStatus: status,
        retryAfterSeconds: 60,
      });
      expect(await client.list('r1')).toEqual([]);
      expect(server.received).toHaveLength(2);
    },
  );

  test.each(OPERATIONS)('H14: 503 on %s holds back every call', async (operation) => {
    const server = await startOnce(503);
    const client = clientOf(server.url);
    await thrownBy(run(client, operation));
    expect(await thrownBy(client.stop('r1', 'e2'))).toMatchObject({
      name: 'UpstreamThrottled',
      retryAfterSeconds: 60,
    });
    expect(server.received).toHaveLength(1);
  });
});

test.each([
  ['list', 3],
  ['create', 1],
  ['roll', 1],
  ['stop', 1],
] as const)('425 on %s was refused before anything was done: sent %i times', async (op, times) => {
  const server = await startHttpServer((_request, response) => response.writeHead(425).end());
  expect(await thrownBy(run(clientOf(server.url), op))).toMatchObject({
    name: 'UpstreamTransient',
    httpStatus: 425,
  });
  expect(server.received).toHaveLength(times);
});

describe('408 and 5xx on a list', () => {
  test.each([408, 500, 502, 503, 504])('H16: %d is tried 3 times', async (status) => {
    const clock = createTestClock();
    const server = await startHttpServer((_request, response) => response.writeHead(status).end());
    expect(await thrownBy(clientOf(server.url, { clock }).list('r1'))).toMatchObject({
      name: 'UpstreamTransient',
      httpStatus: status,
    });
    expect(server.received).toHaveLength(3);
    expect(clock.waits).toEqual([100, 200]);
  });

  test('H16: the third try may succeed', async () => {
    const server = await startHttpServer((_request, response, index) => {
      sendJson(response, { listData: [] }, index < 2 ? 503 : 200);
    });
    expect(await clientOf(server.url).list('r1')).toEqual([]);
  });

  test('H14: 503 with Retry-After is a wait like 429', async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(503, { 'retry-after': '30' }).end();
    });
    expect(await thrownBy(clientOf(server.url).list('r1'))).toMatchObject({
      name: 'UpstreamThrottled',
      retryAfterSeconds: 30,
    });
    expect(server.received).toHaveLength(1);
  });

  test.each([
    [503, {}],
    [503, { 'retry-after': '0' }],
    [503, { 'retry-after': '1' }],
    [429, { 'retry-after': '0' }],
  ])(
    'H16: a service that answers %d %j is retried, and gets at most 1.1 times the calls',
    async (status, headers) => {
      const server = await startHttpServer((_request, response) => {
        response.writeHead(status, headers).end();
      });
      const client = clientOf(server.url);
      const callTimes = async (calls: number) => {
        for (let call = 0; call < calls; call += 1) {
          await thrownBy(client.listPage('r1', { page: 1, size: 10 }));
        }
      };
      await callTimes(20);
      const before = server.received.length;
      await callTimes(100);
      expect(server.received.length - before).toBeLessThanOrEqual(110);
      expect(server.received.length - before).toBeGreaterThan(105);
    },
  );

  test('a service that limits its callers can still be read: its own waits need no budget', async () => {
    const clock = createTestClock();
    const server = await startHttpServer(({ query }, response, index) => {
      if (index % 2 === 0) {
        response.writeHead(429, { 'retry-after': '1' }).end();
      } else {
        sendJson(response, pageOf(rowsOf(500), query));
      }
    });
    const client = clientOf(server.url, { clock, pageSize: 10, maxPagesInFlight: 1 });
    expect(await client.list('r1')).toHaveLength(500);
  });

  test('an answer that lay ready while the process stood still is no answer to a read', async () => {
    // Its deadlines never end by themselves, like those of a process that has only just woken up.
    const clock = createTestClock();
    const server = await startHttpServer(({ query }, response) => {
      clock.advance(10_001);
      sendJson(response, pageOf(rowsOf(1), query));
    });
    expect(await thrownBy(clientOf(server.url, { clock }).list('r1'))).toMatchObject({
      name: 'UpstreamTimeout',
    });
    expect(server.received).toHaveLength(1);
  });

  test('a call leaves no deadline behind', async () => {
    const clock = createTestClock();
    const server = await startHttpServer((_request, response) => response.writeHead(503).end());
    await thrownBy(clientOf(server.url, { clock }).list('r1'));
    expect(clock.pending()).toBe(0);
  });

  test('a retry that would not fit before the deadline is not made', async () => {
    const clock = createTestClock({ deadlineMs: 150 });
    const server = await startHttpServer((_request, response) => response.writeHead(503).end());
    await thrownBy(clientOf(server.url, { clock, deadlineMs: 150 }).list('r1'));
    expect(server.received).toHaveLength(2);
    expect(clock.waits).toEqual([100]);
  });
});

describe('backoff', () => {
  test.each([
    [1, 200],
    [2, 400],
    [3, 800],
    [50, 30_000],
  ])('H16: before try %d it is spread from 0 to %d ms', (tries, most) => {
    expect(backoff(tries, () => 0)).toBe(0);
    expect(backoff(tries, () => 0.5)).toBe(most / 2);
    expect(backoff(tries, () => 1)).toBe(most);
  });
});
