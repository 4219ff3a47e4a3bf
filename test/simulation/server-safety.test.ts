import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { type EndpointServer, startEndpointServer } from '../../lib/simulation/server.ts';
import { send } from './send.ts';

const SHOP = '/agent-runtimes/shop/endpoints';
const scenario = parseScenario({ runtimes: [{ id: 'shop', endpoints: 1 }] });
const clock = { now: () => 0 };

const open = new Set<EndpointServer>();
afterEach(async () => {
  await Promise.all([...open].map((server) => server.close()));
  open.clear();
});

async function start(host = '127.0.0.1') {
  const server = await startEndpointServer({ scenario, port: 0, host, clock });
  open.add(server);
  const { port } = new URL(server.url);
  return { ...server, port: Number(port) };
}

describe('L01: only who addresses this very server is let in', () => {
  test.each([
    [{ host: 'localhost:PORT' }],
    [{ host: 'LOCALHOST:PORT' }],
    [{ host: '127.0.0.1:PORT' }],
    [{ host: '[::1]:PORT' }],
    [{ host: 'localhost:PORT', origin: 'http://localhost:PORT' }],
  ])('%j is let in', async (headers) => {
    const { url, port } = await start();
    const answer = await send(url, { path: SHOP, headers: withPort(headers, port) });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test.each([
    [{ host: 'evil.example' }],
    [{ host: 'evil.example:PORT' }],
    [{ host: 'localhost' }],
    [{ host: 'localhost:1' }],
    [{ host: 'localhost:PORT.evil.example' }],
    [{ host: 'localhost.:PORT' }],
    [{ host: '127.0.0.2:PORT' }],
    [{ host: 'localhost:PORT', origin: 'http://evil.example' }],
    [{ host: 'localhost:PORT', origin: 'https://localhost:PORT' }],
    [{ host: 'localhost:PORT', origin: 'http://localhost:1' }],
    [{ host: 'localhost:PORT', origin: 'null' }],
    [{ host: 'localhost:PORT', origin: '' }],
  ])('%j is refused, on every path', async (headers) => {
    const { url, port } = await start();
    const sent = withPort(headers, port);
    for (const options of [
      { path: SHOP },
      { path: '/nowhere' },
      { path: SHOP, method: 'OPTIONS' },
      { path: `${SHOP}/x/stop`, method: 'POST' },
    ]) {
      const answer = await send(url, { ...options, headers: sent });
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.text).error.code).toBe('Forbidden');
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('a refused create changes nothing', async () => {
    const { url, port } = await start();
    const headers = { host: `evil.example:${port}`, 'content-type': 'application/json' };
    const body = '{"name":"a"}';
    expect(await send(url, { method: 'POST', path: SHOP, headers, body })).toMatchObject({
      status: 403,
    });
    const page = JSON.parse((await send(url, { path: SHOP })).text);
    expect(page.totalItem).toBe(1);
  });

  test.each(['HTTP/1.0\r\n', 'HTTP/1.0\r\nHost:\r\n', 'HTTP/1.1\r\nHost:\r\n'])(
    'without a host in %j it is refused',
    async (rest) => {
      const { port } = await start();
      expect(await talk(port, `GET ${SHOP} ${rest}\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    },
  );
});

describe('where it listens', () => {
  test.each(['0.0.0.0', '::', '', '192.168.0.1', 'localhost', 'example.com'])(
    'L03: the host "%s" is refused',
    async (host) => {
      await expect(startEndpointServer({ scenario, port: 0, host, clock })).rejects.toMatchObject({
        name: 'InvalidInput',
        message: expect.stringContaining(`the host ${JSON.stringify(host)} is not allowed`),
      });
    },
  );

  test('L03: a port that is busy is named', async () => {
    const { port } = await start();
    await expect(startEndpointServer({ scenario, port, clock })).rejects.toMatchObject({
      name: 'PortUnavailable',
      message: expect.stringMatching(`Cannot listen on 127.0.0.1 port ${port}: .*EADDRINUSE`),
      cause: expect.objectContaining({ code: 'EADDRINUSE' }),
    });
  });

  test('a port that is none is refused', async () => {
    await expect(startEndpointServer({ scenario, port: 70_000, clock })).rejects.toMatchObject({
      name: 'PortUnavailable',
      message: expect.stringContaining('70000'),
    });
  });

  test.each(['runtime', '/runtime/', '/:id', '/*', '/a b', '/'])(
    'the path prefix "%s" is refused',
    async (pathPrefix) => {
      await expect(
        startEndpointServer({ scenario, port: 0, pathPrefix, clock }),
      ).rejects.toMatchObject({ name: 'InvalidInput' });
    },
  );
});

describe('L08: it cannot be flooded', () => {
  const create = `POST ${SHOP} HTTP/1.1\r\nContent-Type: application/json\r\n`;

  test('a body of 100 MB is refused before it is sent', async () => {
    const { port } = await start();
    const head = `${create}Host: localhost:${port}\r\nContent-Length: 104857600\r\n\r\n`;
    const answer = await talk(port, `${head}{"name":"`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"PayloadTooLarge"');
  });

  test('a body without a length is refused after 64 KiB', async () => {
    const { port } = await start();
    const head = `${create}Host: localhost:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await talk(port, `${head}10001\r\n${'x'.repeat(0x10001)}`)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a body of exactly 64 KiB is read', async () => {
    const { url } = await start();
    const body = `{"name":"a"}${' '.repeat(64 * 1024 - 12)}`;
    const headers = { 'content-type': 'application/json' };
    expect(await send(url, { method: 'POST', path: SHOP, headers, body })).toMatchObject({
      status: 201,
    });
  });

  test('of 300 connections at once, 256 are served', async () => {
    const { url, port } = await start();
    const sockets = Array.from({ length: 300 }, () => connect(port, '127.0.0.1'));
    const dropped = await untilClosed(sockets, 300 - 256);
    expect(dropped).toBe(300 - 256);
    await Promise.all(sockets.map(destroyed));
    // The server notices only after a while that the others have gone, and drops new connections until then.
    let answer = null;
    while (answer === null) answer = await send(url, { path: SHOP }).catch(() => null);
    expect(answer).toMatchObject({ status: 200 });
  });
});

test('L08: connections that ask for nothing lock nobody out, and cut nobody who asks', async () => {
  const { url, port } = await start();
  const head = `POST ${SHOP} HTTP/1.1\r\nContent-Type: application/json\r\nHost: localhost:${port}\r\n`;
  const slow = connect(port, '127.0.0.1');
  slow.write(`${head}Content-Length: 12\r\n\r\n{"name"`);
  // A whole exchange later, the beginning of the slow one has arrived, too.
  await send(url, { path: SHOP });
  const idle = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  expect(await send(url, { path: SHOP })).toMatchObject({ status: 200 });
  slow.write(':"a"}');
  const [answer] = await once(slow, 'data');
  expect(`${answer}`).toMatch(/^HTTP\/1\.1 201 /);
  slow.destroy();
  await Promise.all(idle.map(destroyed));
});

test('close cuts every connection, and may be called twice', async () => {
  const server = await start();
  const agent = new Agent({ keepAlive: true });
  const idle = await new Promise<Socket>((resolve, reject) => {
    get(`${server.url}${SHOP}`, { agent }, (response) => {
      const { socket } = response;
      response.resume().on('end', () => resolve(socket));
    }).on('error', reject);
  });
  const half = talk(server.port, `GET ${SHOP} HTTP/1.1\r\nHost: localhost:${server.port}\r\n`);
  const closed = new Promise((resolve) => idle.once('close', resolve));
  // A whole exchange later, the half request has arrived too.
  await send(server.url, { path: SHOP });
  expect(idle.destroyed).toBe(false);
  await server.close();
  await closed;
  expect(await half).toBe('');
  await server.close();
  agent.destroy();
  await expect(send(server.url, { path: SHOP })).rejects.toThrow('ECONNREFUSED');
});

function withPort(headers: Record<string, string>, port: number): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(port))]),
  );
}

/** Sends the bytes as they are, and answers what comes back until the answer is complete. */
function talk(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('}}')) {
        socket.destroy();
      }
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

function untilClosed(sockets: readonly Socket[], count: number): Promise<number> {
  let closed = 0;
  return new Promise((resolve) => {
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.once('close', () => {
        closed += 1;
        if (closed === count) {
          // A moment more, to see that no other is dropped.
          setTimeout(() => resolve(closed), 20);
        }
      });
    }
  });
}

function destroyed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) {
      resolve();
      return;
    }
    socket.once('close', () => resolve()).destroy();
  });
}
