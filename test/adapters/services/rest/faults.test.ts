import net, { type LookupFunction, type NetConnectOpts } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import {
  clientOf,
  OPERATIONS,
  pageOf,
  rowsOf,
  run,
  sendJson,
  startHttpServer,
  startSocketServer,
  startTlsServer,
  thrownBy,
  WRITES,
} from '../../http/fault-server.ts';
import { SELF_SIGNED } from '../../http/self-signed.ts';
import { realClock } from '../../http/test-clock.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const EMPTY_PAGE = '{"listData":[],"totalItem":0}';
const answer = (body: string, ...headers: string[]) =>
  ['HTTP/1.1 200 OK', 'content-type: application/json', ...headers, '', body].join('\r\n');
const emptyPage = answer(EMPTY_PAGE, `content-length: ${EMPTY_PAGE.length}`);
/** undici looks at a socket again one turn of the event loop after an answer, then uses it again. */
const socketIsKept = () => delay(5);
/** Deadlines in real time, short enough not to be noticed. */
const inAHurry = { clock: realClock, deadlineMs: 60 };
/** Long enough for a busy machine to send the request before. */
const withTime = { clock: realClock, deadlineMs: 800 };

describe('redirects', () => {
  test.each(
    [301, 302, 303, 307, 308].flatMap((status) =>
      OPERATIONS.map((operation) => [status, operation] as const),
    ),
  )('H21: %d on %s is refused, never followed', async (status, operation) => {
    const elsewhere = await startHttpServer((_request, response) => response.end());
    const server = await startHttpServer((_request, response) => {
      response.writeHead(status, { location: `${elsewhere.url}/list` }).end('moved');
    });
    const error = await thrownBy(run(clientOf(server.url), operation));
    expect(error).toMatchObject({ name: 'UpstreamRedirect', httpStatus: status });
    expect(server.received).toHaveLength(1);
    expect(elsewhere.received).toHaveLength(0);
  });
});

describe('bodies that are not what the interface says', () => {
  test('H22: a page of HTML is not an empty list', async () => {
    const server = await startHttpServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`<html>Sign in, your token=abc123 is old ${'x'.repeat(9_000)}</html>`);
    });
    const error = await thrownBy(clientOf(server.url).list('r1'));
    expect(error).toMatchObject({ name: 'UpstreamProtocol' });
    expect(error.message).toContain('<html>Sign in');
    expect(error.message).not.toContain('abc123');
    const excerpt = error.message.slice(error.message.indexOf('<html>'));
    expect(excerpt.length).toBeLessThanOrEqual(256);
    expect(server.received).toHaveLength(1);
  });

  test('H22: HTML is refused even where it can be read as JSON', async () => {
    const server = await startHttpServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(EMPTY_PAGE);
    });
    expect(await thrownBy(clientOf(server.url).list('r1'))).toMatchObject({
      name: 'UpstreamProtocol',
    });
  });

  test.each(WRITES)('H22: a page of HTML leaves %s in doubt', async (operation) => {
    const server = await startHttpServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<html>Sign in</html>');
    });
    const error = await thrownBy(run(clientOf(server.url), operation));
    expect(error).toMatchObject({
      name: 'OutcomeUnknown',
      httpStatus: 200,
      cause: { name: 'UpstreamProtocol' },
    });
    expect(error.message).toContain('<html>Sign in</html>');
    expect(server.received).toHaveLength(1);
  });

  test.each([
    ['an empty body', ''],
    ['text', 'ok'],
    ['JSON that is cut', '{"listData":['],
    ['an object without the list', '{}'],
    ['text that is not UTF-8', Buffer.from('{"listData":[],"note":"\u00ff"}', 'latin1')],
  ])('H22: %s is not a list', async (_, body) => {
    const server = await startHttpServer((_request, response) => response.end(body));
    expect(await thrownBy(clientOf(server.url).list('r1'))).toMatchObject({
      name: 'UpstreamProtocol',
    });
  });

  test.each([
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/problem+json',
    'text/json',
    'text/plain',
    null,
  ])('H22: JSON of the type %s is read', async (type) => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(200, type === null ? {} : { 'content-type': type }).end(EMPTY_PAGE);
    });
    expect(await clientOf(server.url).list('r1')).toEqual([]);
  });

  test('H22: a byte order mark before the JSON is no part of it', async () => {
    const server = await startHttpServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(`\ufeff${EMPTY_PAGE}`);
    });
    expect(await clientOf(server.url).list('r1')).toEqual([]);
  });

  test.each(['1e400', '9007199254740993', '-1', '3.5', '"3"', 'true'])(
    'H23: a live version of %s is refused',
    async (version) => {
      const server = await startHttpServer((_request, response) => {
        response.end(`{"listData":[{"id":"e1","liveVersion":${version}}]}`);
      });
      const error = await thrownBy(clientOf(server.url).list('r1'));
      expect(error).toMatchObject({ name: 'UpstreamProtocol' });
      expect(error.message).toContain('listData[0]: "liveVersion" (wire.endpoint.liveVersion): ');
    },
  );

  test.each([
    ['3.0', 3],
    ['3e0', 3],
    ['0', 0],
    ['9007199254740991', 9_007_199_254_740_991],
    ['null', null],
  ])('H23: a live version of %s is %j', async (version, liveVersion) => {
    const server = await startHttpServer((_request, response) => {
      response.end(`{"listData":[{"id":"e1","liveVersion":${version}}],"totalItem":1}`);
    });
    expect(await clientOf(server.url).list('r1')).toMatchObject([{ liveVersion }]);
  });

  test('H32: an id that is a number is refused, not rounded', async () => {
    const server = await startHttpServer((_request, response) => {
      response.end('{"listData":[{"id":9007199254740993}]}');
    });
    expect(await thrownBy(clientOf(server.url).list('r1'))).toMatchObject({
      name: 'UpstreamProtocol',
    });
  });

  test.each([
    ['a version in words', { liveVersion: '3' }],
    ['half a version', { liveVersion: 3.5 }],
    ['a version that a number cannot hold', { targetVersion: 2 ** 53 }],
    ['a numeric id', { id: 9 }],
  ])('H23, H32: %s is refused', async (_, fields) => {
    const server = await startHttpServer((_request, response) => {
      sendJson(response, { listData: [{ id: 'e1', ...fields }] });
    });
    expect(await thrownBy(clientOf(server.url).list('r1'))).toMatchObject({
      name: 'UpstreamProtocol',
    });
    expect(server.received).toHaveLength(1);
  });
});

describe('bodies that do not end well', () => {
  test.each([
    ['is shorter than its Content-Length', answer('{"listData":[', 'content-length: 500')],
    ['ends within a chunk', answer('ff\r\n{"listData":[', 'transfer-encoding: chunked')],
  ])('H24: a list that %s is read again', async (_, cut) => {
    const server = await startSocketServer((socket, _requests, sockets) => {
      socket.end(sockets === 1 ? cut : emptyPage);
    });
    expect(await clientOf(server.url).list('r1')).toEqual([]);
    expect(server.requests()).toBe(2);
  });

  test('H24: a list that is cut 3 times is an error', async () => {
    const server = await startSocketServer((socket) => {
      socket.end(answer('{"listData":[', 'content-length: 500'));
    });
    expect(await thrownBy(clientOf(server.url).list('r1'))).toMatchObject({
      name: 'UpstreamTransient',
    });
    expect(server.requests()).toBe(3);
  });

  test.each(['gzip', 'br', 'x-gzip'])(
    'H24: an answer cut within its %s is refused, however much is left',
    async (encoding) => {
      const whole = gzipSync(EMPTY_PAGE);
      const server = await startHttpServer((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding });
        response.end(whole.subarray(0, whole.length - 4));
      });
      const error = await thrownBy(clientOf(server.url).list('r1'));
      expect(error).toMatchObject({ name: 'UpstreamProtocol' });
      expect(error.message).toContain(`content-encoding ${encoding}`);
      expect(server.received).toHaveLength(1);
    },
  );

  test('H24: identity is the encoding that was asked for, in any case', async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'Identity' }).end(EMPTY_PAGE);
    });
    expect(await clientOf(server.url).list('r1')).toEqual([]);
  });

  test('an early hint is not the answer', async () => {
    const server = await startSocketServer((socket) => {
      socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${emptyPage}`);
    });
    expect(await clientOf(server.url).list('r1')).toEqual([]);
  });

  test('H24, H25: a compressed answer is refused and never expanded', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1_024 * 1_024, ' '));
    const server = await startHttpServer((_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      });
      response.end(bomb);
    });
    const error = await thrownBy(clientOf(server.url).list('r1'));
    expect(error).toMatchObject({ name: 'UpstreamProtocol' });
    expect(error.message).toContain('content-encoding gzip');
  });

  test('H25: an answer of 50 MB is given up at 5 MiB', async () => {
    let sent = 0;
    const server = await startHttpServer(async (_request, response) => {
      const chunk = Buffer.alloc(1_024 * 1_024, ' ');
      response.setHeader('content-type', 'application/json');
      while (sent < 50 * chunk.length && !response.destroyed) {
        sent += chunk.length;
        await new Promise((resolve) => response.write(chunk, resolve));
      }
      response.end();
    });
    const error = await thrownBy(clientOf(server.url).list('r1'));
    expect(error).toMatchObject({ name: 'ResponseTooLarge' });
    expect(server.received).toHaveLength(1);
    expect(sent).toBeLessThan(20 * 1_024 * 1_024);
  });

  test('H25: an answer of 5 MiB is read', async () => {
    const padding = ' '.repeat(5 * 1_024 * 1_024 - EMPTY_PAGE.length);
    const server = await startHttpServer((_request, response) => {
      response.end(EMPTY_PAGE + padding);
    });
    expect(await clientOf(server.url).list('r1')).toEqual([]);
  });
});

describe('answers that do not come', () => {
  const stalls = [
    ['no headers', ''],
    ['a body that stalls', answer('{"listData":[', 'content-length: 500')],
  ] as const;

  test.each(stalls)('H26, H28: %s: the deadline ends the call', async (_, bytes) => {
    let closed: () => void = () => {};
    const socketClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await startSocketServer((socket) => {
      socket.on('close', closed);
      socket.write(bytes);
    });
    const error = await thrownBy(clientOf(server.url, withTime).list('r1'));
    expect(error).toMatchObject({ name: 'UpstreamTimeout' });
    expect(error.message).toMatch(/^GET .*endpoints.*: no complete answer within 0.8 s$/);
    expect(server.requests()).toBe(1);
    await socketClosed;
  });

  test('H26: one byte at a time does not outrun the deadline', async () => {
    const server = await startSocketServer((socket) => {
      socket.write(answer('', 'content-length: 500'));
      const drip = setInterval(() => socket.write(' '), 5);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await thrownBy(clientOf(server.url, inAHurry).list('r1'))).toMatchObject({
      name: 'UpstreamTimeout',
    });
  });

  test.each(
    stalls.flatMap(([what, bytes]) => WRITES.map((operation) => [operation, what, bytes] as const)),
  )('H11, H12, H13: %s with %s is in doubt, and sent once', async (operation, _, bytes) => {
    const server = await startSocketServer((socket) => socket.write(bytes));
    const error = await thrownBy(run(clientOf(server.url, withTime), operation));
    expect(error).toMatchObject({ name: 'OutcomeUnknown', cause: { name: 'UpstreamTimeout' } });
    expect(server.requests()).toBe(1);
  });

  test('H28: after a black hole the next call has a new socket', async () => {
    const server = await startSocketServer((socket, _requests, sockets) => {
      if (sockets > 1) {
        socket.write(emptyPage);
      }
    });
    const client = clientOf(server.url, { clock: realClock, deadlineMs: 200 });
    await thrownBy(client.list('r1'));
    expect(await client.list('r1')).toEqual([]);
  });
});

describe('sockets that die', () => {
  const deaths = ['end', 'resetAndDestroy'] as const;

  test.each(deaths)(
    'H27: a kept socket that dies (%s): a list is read again on a new one',
    async (death) => {
      const server = await startSocketServer((socket, requestsOnSocket) => {
        if (requestsOnSocket === 1) {
          socket.write(emptyPage);
        } else {
          socket[death]();
        }
      });
      const client = clientOf(server.url);
      await client.list('r1');
      await socketIsKept();
      expect(await client.list('r1')).toEqual([]);
      expect(server.requests()).toBe(3);
    },
  );

  test.each(deaths.flatMap((death) => WRITES.map((operation) => [operation, death] as const)))(
    'H11, H12, H13, H27: %s on a socket that dies (%s) is in doubt, and sent once',
    async (operation, death) => {
      const server = await startSocketServer((socket, requestsOnSocket) => {
        if (requestsOnSocket === 1) {
          socket.write(emptyPage);
        } else {
          socket[death]();
        }
      });
      const client = clientOf(server.url);
      await client.list('r1');
      await socketIsKept();
      const error = await thrownBy(run(client, operation));
      expect(error).toMatchObject({
        name: 'OutcomeUnknown',
        cause: { code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) },
      });
      expect(server.requests()).toBe(2);
    },
  );

  test.each(OPERATIONS)(
    '%s that the caller has given up already is not sent',
    async (operation) => {
      const server = await startHttpServer((_request, response) => response.end());
      const secret = { read: () => new Promise<string>(() => {}) };
      const client = clientOf(server.url, { auth: { kind: 'bearer', secret } });
      const reason = new Error('enough');
      await expect(run(client, operation, AbortSignal.abort(reason))).rejects.toBe(reason);
      expect(server.received).toHaveLength(0);
    },
  );

  test.each(WRITES)('%s that the caller gives up is in doubt', async (operation) => {
    const caller = new AbortController();
    const server = await startSocketServer(() => caller.abort(new Error('enough')));
    expect(await thrownBy(run(clientOf(server.url), operation, caller.signal))).toMatchObject({
      name: 'OutcomeUnknown',
      cause: { message: 'enough' },
    });
  });
});

/** A read is tried again, a write is not. */
const TIMES = [
  ['list', 3],
  ['create', 1],
  ['roll', 1],
  ['stop', 1],
] as const;

describe('connections that do not come about', () => {
  const closedPort = async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as net.AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return `http://127.0.0.1:${port}`;
  };

  test.each(TIMES)(
    'H27, H29: %s to a closed port is tried %i times: nothing was sent',
    async (operation, times) => {
      const exchanges: unknown[] = [];
      const client = clientOf(await closedPort(), {
        onExchange: (exchange) => exchanges.push(exchange),
      });
      const error = await thrownBy(run(client, operation));
      expect(error).toMatchObject({ name: 'UpstreamTransient', cause: { code: 'ECONNREFUSED' } });
      expect(exchanges).toHaveLength(times);
    },
  );

  test.each(TIMES)(
    'H29: %s to a name that does not resolve is tried %i times',
    async (operation, times) => {
      const exchanges: unknown[] = [];
      const client = clientOf('http://steproll.invalid', {
        onExchange: (exchange) => exchanges.push(exchange),
      });
      const error = await thrownBy(run(client, operation));
      expect(error).toMatchObject({
        name: 'UpstreamTransient',
        cause: { code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) },
      });
      expect(exchanges).toHaveLength(times);
    },
  );

  test('H29: a list reaches a service that comes back', async () => {
    const server = await startHttpServer((request, response) => {
      sendJson(response, pageOf(rowsOf(1), request.query));
    });
    const connect = net.connect as (options: NetConnectOpts) => net.Socket;
    let tries = 0;
    jest.spyOn(net, 'connect').mockImplementation(((options: NetConnectOpts) => {
      tries += 1;
      return connect({ ...options, ...(tries < 3 ? { port: 1 } : {}) });
    }) as typeof net.connect);
    await clientOf(server.url).list('r1');
    expect(server.received).toHaveLength(1);
    expect(tries).toBe(3);
  });

  test('H29: an address that cannot be reached does not keep the other one from being used', async () => {
    const server = await startHttpServer((request, response) => {
      sendJson(response, pageOf(rowsOf(1), request.query));
    });
    const lookup: LookupFunction = (_host, _options, callback) =>
      callback(null, [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]);
    const connect = net.connect as (options: NetConnectOpts) => net.Socket;
    const spy = jest
      .spyOn(net, 'connect')
      .mockImplementation(((options: NetConnectOpts) =>
        connect({ ...options, lookup })) as typeof net.connect);
    const client = clientOf(server.url.replace('127.0.0.1', 'steproll.invalid'));
    expect(await client.list('r1')).toHaveLength(1);
    const options = spy.mock.calls[0]?.[0] as net.TcpNetConnectOpts | undefined;
    expect(options?.autoSelectFamily).toBe(true);
    expect(options?.autoSelectFamilyAttemptTimeout).toBeGreaterThanOrEqual(1_000);
  });

  test('H29: an IPv6 address can be the base URL', async () => {
    const server = await startHttpServer(
      (request, response) => sendJson(response, pageOf(rowsOf(1), request.query)),
      '::1',
    );
    expect(await clientOf(server.url).list('r1')).toHaveLength(1);
    expect(server.received[0]?.headers.host).toMatch(/^\[::1\]:\d+$/);
  });

  test.each(WRITES)(
    'H29: %s is not sent after its deadline when a connection comes late',
    async (operation) => {
      const server = await startHttpServer((_request, response) => response.end());
      const connect = net.connect as (options: NetConnectOpts) => net.Socket;
      const lookup: LookupFunction = (_host, _options, callback) => {
        setTimeout(() => callback(null, [{ address: '127.0.0.1', family: 4 }]), 60);
      };
      jest
        .spyOn(net, 'connect')
        .mockImplementation(((options: NetConnectOpts) =>
          connect({ ...options, lookup })) as typeof net.connect);
      const url = server.url.replace('127.0.0.1', 'steproll.invalid');
      const client = clientOf(url, { clock: realClock, deadlineMs: 20 });
      expect(await thrownBy(run(client, operation))).toMatchObject({ name: 'UpstreamTimeout' });
      await delay(100);
      expect(server.sockets()).toBe(1);
      expect(server.received).toHaveLength(0);
    },
  );

  test.each(WRITES)(
    'H29: %s that never got a connection was certainly not sent',
    async (operation) => {
      jest.spyOn(net, 'connect').mockImplementation((() => new net.Socket()) as typeof net.connect);
      const error = await thrownBy(run(clientOf('http://127.0.0.1:1', inAHurry), operation));
      expect(error).toMatchObject({ name: 'UpstreamTimeout' });
    },
  );
});

describe('TLS', () => {
  test.each(OPERATIONS)(
    'H30: %s to a certificate that nobody vouches for is refused',
    async (operation) => {
      const url = await startTlsServer(SELF_SIGNED);
      const exchanges: unknown[] = [];
      const client = clientOf(url, { onExchange: (exchange) => exchanges.push(exchange) });
      expect(await thrownBy(run(client, operation))).toMatchObject({
        name: 'UpstreamTls',
        cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
      });
      expect(exchanges).toHaveLength(1);
    },
  );

  test('H30: a server that speaks no TLS is refused', async () => {
    const server = await startHttpServer((_request, response) => response.end());
    const client = clientOf(server.url.replace('http:', 'https:'));
    expect(await thrownBy(client.list('r1'))).toMatchObject({ name: 'UpstreamTls' });
    expect(server.received).toHaveLength(0);
  });
});
