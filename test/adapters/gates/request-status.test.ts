import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { requestStatus } from '../../../lib/adapters/gates/probe.ts';
import { createNetwork } from '../../../lib/adapters/http/network.ts';
import { startHttpServer, startSocketServer } from '../http/fault-server.ts';

const never = new AbortController().signal;
const ask = (origin: string, signal = never, status = 200) =>
  requestStatus(createNetwork()(origin, 1, { signal }), { path: '/healthz', status }, signal);

describe('the request', () => {
  test('carries nothing but what HTTP needs', async () => {
    const server = await startHttpServer((_request, response) => response.end());

    await ask(server.url);

    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({ method: 'GET', url: '/healthz', body: '' });
    expect(server.received[0]?.headers).toEqual({
      host: new URL(server.url).host,
      connection: 'keep-alive',
      'user-agent': 'steproll',
    });
  });

  test('has a socket of its own, which is closed afterwards', async () => {
    const sockets: Socket[] = [];
    const server = await startSocketServer((socket) => {
      sockets.push(socket);
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });

    await ask(server.url);
    await ask(server.url);

    expect(sockets).toHaveLength(2);
    await Promise.all(sockets.map(closed));
  });
});

describe('the answer', () => {
  test.each([0, 1_000, 1_000_000])('counts with a body of %d bytes', async (size) => {
    const server = await startHttpServer((_request, response) => response.end('x'.repeat(size)));

    expect(await ask(server.url)).toBe(200);
  });

  test('H25: a body without an end is not read to the end', async () => {
    const server = await startHttpServer((_request, response) => {
      Readable.from(endless()).pipe(response);
    });

    expect(await ask(server.url)).toBe(200);
  });

  test('a status that was not wanted needs no body', async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(503, { 'content-length': 5 }).flushHeaders();
    });

    expect(await ask(server.url)).toBe(503);
  });

  test('is not an early hint', async () => {
    const server = await startSocketServer((socket) => {
      socket.end('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n');
    });

    expect(await ask(server.url, never, 204)).toBe(204);
  });

  test.each([
    ['nothing', '', { code: 'UND_ERR_SOCKET' }],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nok', { code: 'UND_ERR_SOCKET' }],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n', { name: 'HTTPParserError' }],
  ])('H24: does not count when it is %s', async (_, text, error) => {
    const server = await startSocketServer((socket) => socket.end(text));

    await expect(ask(server.url)).rejects.toMatchObject(error);
  });
});

describe('an aborted request', () => {
  test.each([
    ['before the answer', ''],
    ['in the headers', 'HTTP/1.1 200 OK\r\n'],
    ['in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nok'],
  ])('ends at once, %s', async (_, text) => {
    const given = new AbortController();
    const reason = new Error('given up');
    const sockets: Socket[] = [];
    const server = await startSocketServer((socket) => {
      sockets.push(socket);
      socket.write(text, () => given.abort(reason));
    });

    await expect(ask(server.url, given.signal)).rejects.toBe(reason);
    await Promise.all(sockets.map(closed));
  });

  test('leaves no socket behind in mid-handshake', async () => {
    const given = new AbortController();
    const reason = new Error('given up');
    const sockets: Socket[] = [];
    const server = await startSocketServer((socket) => {
      sockets.push(socket);
      given.abort(reason);
    });

    await expect(ask(server.url.replace('http:', 'https:'), given.signal)).rejects.toBe(reason);
    expect(sockets).toHaveLength(1);
    await Promise.all(sockets.map(closed));
  });

  test('does not wait for a name server', async () => {
    const given = new AbortController();
    const reason = new Error('given up');
    const lookup = () => given.abort(reason);
    const sockets = createNetwork()('http://localhost:1', 1, { lookup, signal: given.signal });
    const asked = requestStatus(sockets, { path: '/', status: 200 }, given.signal);

    await expect(asked).rejects.toBe(reason);
  });
});

/** A reset is as good an end as any. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    socket.on('close', () => resolve());
  });
}

function* endless(): Generator<string> {
  for (;;) yield 'x'.repeat(16_384);
}
