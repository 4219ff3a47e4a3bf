import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import type { Desk } from '../../lib/console/desk.ts';
import { startConsoleServer } from '../../lib/console/server/server.ts';
import { startListenerServer } from '../../lib/listener/server.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { send } from '../simulation/send.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Each server, a path that anybody may ask, and one that is for those with the token (`serve` has none). */
const SERVERS = {
  async listener() {
    const { url, close } = await startListenerServer({
      port: 0,
      clock: { now: () => 0 },
      take: () => Promise.reject(new Error('Nobody releases.')),
      log: () => undefined,
    });
    closing.push(close);
    return { url, open: '/healthz', guarded: '/events' };
  },
  async console() {
    const { url, close } = await startConsoleServer({
      port: 0,
      desk: {} as Desk,
      pages: [{ path: '/', type: 'text/html', body: '' }],
      lookMs: 1000,
      clock: systemClock,
      printLink: () => undefined,
    });
    closing.push(close);
    return { url, open: '/', guarded: '/api/rehearsals' };
  },
  async serve() {
    const scenario = parseScenario({ runtimes: [{ id: 'shop', endpoints: 1 }] });
    const { url, close } = await startEndpointServer({
      scenario,
      port: 0,
      clock: { now: () => 0 },
    });
    closing.push(close);
    const path = '/agent-runtimes/shop/endpoints';
    return { url, open: path, guarded: path };
  },
} as const;

type Server = Awaited<ReturnType<(typeof SERVERS)[keyof typeof SERVERS]>>;

const JSON_BODY = 'Content-Type: application/json\r\n';
const HALF = 'Content-Length: 12\r\n\r\n{"name"';

/** What a client sends that never gets any further. HOST stands for the Host header. */
const SENT: Readonly<Record<string, (server: Server) => string>> = {
  'half a body to a path that does not exist': () => `POST /x HTTP/1.1\r\nHOST${JSON_BODY}${HALF}`,
  'half a body without the token': ({ guarded }) =>
    `POST ${guarded} HTTP/1.1\r\nHOST${JSON_BODY}${HALF}`,
  'half a body in chunks': ({ guarded }) =>
    `POST ${guarded} HTTP/1.1\r\nHOST${JSON_BODY}Transfer-Encoding: chunked\r\n\r\n6\r\n{"name`,
  'the wish to send a body': ({ guarded }) =>
    `POST ${guarded} HTTP/1.1\r\nHOST${JSON_BODY}Expect: 100-continue\r\nContent-Length: 12\r\n\r\n`,
  'a body with a GET': ({ open }) => `GET ${open} HTTP/1.1\r\nHOST${HALF}`,
  'half the headers': ({ open }) => `GET ${open} HTTP/1.1\r\nHOST`,
};

describe.each(Object.entries(SERVERS))('%s', (_, start) => {
  test.each(Object.entries(SENT))(
    'L08: 300 connections of clients who send %s lock nobody out',
    async (_what, sent) => {
      const server = await start();
      const bytes = withHost(sent(server), server);
      const clients: Socket[] = [];
      for (let count = 0; count < 300; count += 1) {
        const client = connect(portOf(server), '127.0.0.1').on('error', () => undefined);
        clients.push(client);
        await once(client, 'connect');
        await new Promise((resolve) => client.write(bytes, resolve));
      }
      // The server runs in this process. In so many turns it has read all that was sent.
      for (let turn = 0; turn < 50; turn += 1) await setImmediate();
      expect(await send(server.url, { path: server.open })).toMatchObject({ status: 200 });
      for (const client of clients) client.destroy();
    },
  );
});

describe.each(['listener', 'console'] as const)('the %s reads no body of a stranger', (name) => {
  test.each([
    ['POST', '/x', 404],
    ['PUT', '/x?token=a', 404],
    ['POST', 'guarded', 401],
    ['DELETE', 'guarded', 404],
    ['OPTIONS', 'guarded', 404],
  ])('%s %s: %i, and the connection is closed', async (method, to, status) => {
    const server = await SERVERS[name]();
    const path = to === 'guarded' ? server.guarded : to;
    for (const rest of [HALF, 'Transfer-Encoding: chunked\r\n\r\n6\r\n{"name']) {
      const answer = await talk(server, `${method} ${path} HTTP/1.1\r\nHOST${JSON_BODY}${rest}`);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
    }
  });

  test('and asks for none: there is no 100 Continue', async () => {
    const server = await SERVERS[name]();
    const expects = 'Expect: 100-continue\r\nContent-Length: 12\r\n\r\n';
    for (const [path, status] of [
      ['/x', 404],
      [server.guarded, 401],
    ]) {
      const answer = await talk(server, `POST ${path} HTTP/1.1\r\nHOST${JSON_BODY}${expects}`);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    }
  });
});

test('who may send a body and asks first is told to go on', async () => {
  const server = await SERVERS.serve();
  const head = `POST ${server.guarded} HTTP/1.1\r\nHOST${JSON_BODY}Connection: close\r\n`;
  const client = connect(portOf(server), '127.0.0.1');
  client.write(withHost(`${head}Expect: 100-continue\r\nContent-Length: 12\r\n\r\n`, server));
  const [first] = await once(client, 'data');
  expect(`${first}`).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  client.write('{"name":"a"}');
  expect(await textOf(client)).toMatch(/^HTTP\/1\.1 201 /);
});

function portOf({ url }: Server): number {
  return Number(new URL(url).port);
}

function withHost(text: string, { url }: Server): string {
  return text.replaceAll('HOST', `Host: ${new URL(url).host}\r\n`);
}

function talk(server: Server, bytes: string): Promise<string> {
  const client = connect(portOf(server), '127.0.0.1');
  client.write(withHost(bytes, server));
  return textOf(client);
}

/** All that comes until the server closes the connection. */
async function textOf(client: Socket): Promise<string> {
  let text = '';
  client.on('data', (chunk) => {
    text += chunk;
  });
  // What the server has not read is lost when it closes the connection.
  client.on('error', () => undefined);
  await once(client, 'close');
  return text;
}
