import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { openTls } from '../../../lib/adapters/credentials/tls.ts';
import { createNetwork } from '../../../lib/adapters/http/network.ts';
import type { TlsSettings } from '../../../lib/contract/config/network.ts';
import { createAuthority } from '../../support/certificates.ts';
import {
  clientOf,
  OPERATIONS,
  pageOf,
  rowOf,
  rowsOf,
  run,
  sendJson,
  startHttpServer,
  thrownBy,
  WRITES,
} from './fault-server.ts';
import { startProxy } from './proxy-server.ts';
import { createTestClock, realClock } from './test-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));

const authority = createAuthority();
const SERVICE = 'endpoints.example.com';
const server = authority.issue(SERVICE, [SERVICE, '127.0.0.1', 'login.example.com']);
const client = authority.issue('the client');

let files = 0;
function fileOf(text: string): { readonly file: string } {
  files += 1;
  const file = join(folder, `${files}.pem`);
  writeFileSync(file, text);
  return { file };
}

const TRUST: TlsSettings = { ca: fileOf(authority.cert) };
const IDENTITY: TlsSettings = { ...TRUST, cert: fileOf(client.cert), key: fileOf(client.key) };

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

interface Seen {
  readonly request: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The name in the client's certificate. */
  readonly subject: string | string[] | undefined;
}

/** A service over TLS with a certificate of our authority. */
async function startService(options: ServerOptions = {}, respond?: RequestListener) {
  const seen: Seen[] = [];
  const https = createServer({ ...server, ...options }, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url = '', headers } = request;
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    seen.push({ request: `${method} ${url}`, headers, body, subject: subject?.CN });
    if (respond !== undefined) respond(request, response);
    else answerLikeService(request, response);
  });
  https.on('tlsClientError', () => undefined);
  https.listen(0, '127.0.0.1');
  await new Promise((resolve) => https.once('listening', resolve));
  closing.push(() => {
    https.closeAllConnections();
    return new Promise((resolve) => https.close(resolve));
  });
  const address = https.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: `https://127.0.0.1:${port}`, seen };
}

const answerLikeService: RequestListener = ({ method, url = '' }, response) => {
  const query = new URL(url, 'http://service').searchParams;
  if (url === '/token') sendJson(response, { access_token: 'minted', token_type: 'Bearer' });
  else sendJson(response, method === 'GET' ? pageOf(rowsOf(3), query) : rowOf('e1'));
};

type Variables = Readonly<Record<string, string>>;
const network = (tls: TlsSettings, variables: Variables = {}) =>
  createNetwork(openTls(tls), variables);

describe('through a proxy', () => {
  test.each(OPERATIONS)('%s reaches a service that only the proxy can reach', async (operation) => {
    const service = await startService();
    const proxy = await startProxy({ to: service.url });
    const variables = { HTTPS_PROXY: proxy.url.replace('//', '//me:p%40ss@') };

    await run(
      clientOf(`https://${SERVICE}`, { openSockets: network(TRUST, variables) }),
      operation,
    );

    expect(proxy.asked[0]).toBe(`CONNECT ${SERVICE}:443`);
    expect(proxy.authorizations[0]).toBe(`Basic ${btoa('me:p@ss')}`);
    expect(service.seen).toHaveLength(1);
    expect(service.seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  test.each(OPERATIONS)('%s over plain http is handed to the proxy whole', async (operation) => {
    const service = await startHttpServer((request, response) =>
      sendJson(response, request.method === 'GET' ? pageOf(rowsOf(3), request.query) : rowOf('e1')),
    );
    const proxy = await startProxy({ to: service.url });
    const openSockets = network({}, { http_proxy: proxy.url.replace('//', '//me@') });

    await run(clientOf('http://endpoints.svc.cluster.local:8080', { openSockets }), operation);

    expect(proxy.asked[0]).toContain(' http://endpoints.svc.cluster.local:8080/');
    expect(proxy.authorizations[0]).toBe(`Basic ${btoa('me:')}`);
    expect(service.received[0]?.headers.host).toBe('endpoints.svc.cluster.local:8080');
  });

  test('the token endpoint is asked in the same way', async () => {
    const service = await startService();
    const proxy = await startProxy({ to: service.url });
    const secret = { read: async () => '{"clientId":"me","clientSecret":"mine"}' };
    const auth = {
      kind: 'client-credentials',
      tokenUrl: 'https://login.example.com/token',
      secret,
    };
    const openSockets = network(IDENTITY, { HTTPS_PROXY: proxy.url });

    await clientOf(`https://${SERVICE}:8443`, {
      openSockets,
      auth: { ...auth, kind: 'client-credentials' },
    }).list('r1');

    expect(proxy.asked).toEqual(['CONNECT login.example.com:443', `CONNECT ${SERVICE}:8443`]);
    expect(service.seen[1]?.headers.authorization).toBe('Bearer minted');
  });

  test('a proxy over TLS is trusted like any server, and never sees the client certificate', async () => {
    const service = await startService({ requestCert: true, ca: authority.cert });
    const identity = authority.issue('proxy', ['127.0.0.1']);
    const proxy = await startProxy({ to: service.url, identity });
    const variables = { HTTPS_PROXY: proxy.url };
    const list = (tls: TlsSettings) =>
      clientOf(`https://${SERVICE}`, { openSockets: network(tls, variables) }).list('r1');

    expect(await list(IDENTITY)).toHaveLength(3);
    expect(service.seen[0]?.subject).toBe('the client');
    expect(await thrownBy(list({}))).toMatchObject({
      name: 'UpstreamTls',
      message: expect.stringContaining(`the proxy ${proxy.url} (HTTPS_PROXY)`),
    });
  });

  test('several calls share the sockets, so the proxy is not asked for each', async () => {
    const service = await startService();
    const proxy = await startProxy({ to: service.url });
    const openSockets = network(TRUST, { HTTPS_PROXY: proxy.url });
    const calls = clientOf(`https://${SERVICE}`, { openSockets });

    for (let call = 1; call <= 6; call += 1) await calls.list('r1');

    expect(service.seen).toHaveLength(6);
    expect(proxy.asked.length).toBeLessThan(6);
  });
});

describe('a proxy that does not let a call through', () => {
  test.each([403, 407])('with %d: is asked once, and named without its user', async (refuse) => {
    const proxy = await startProxy({ to: 'http://127.0.0.1:1', refuse });
    const openSockets = network({}, { HTTPS_PROXY: proxy.url.replace('//', '//me:canary@') });

    const error = await thrownBy(clientOf(`https://${SERVICE}`, { openSockets }).list('r1'));

    expect(error.name).toBe('UpstreamProxy');
    expect(error.message).toContain(`the proxy ${proxy.url} (HTTPS_PROXY)`);
    expect(error.message).toContain(String(refuse));
    expect(error.message).not.toMatch(/canary|me:/);
    expect(proxy.asked).toHaveLength(1);
  });

  test('with 407 and words that repeat its user and its password: they are hidden', async () => {
    const login = Buffer.from('me:canary-7').toString('base64');
    const server = createHttpServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.on('connect', (_, socket) => socket.end(`HTTP/1.1 407 no canary-7 in ${login}\r\n\r\n`));
    const { port } = server.address() as AddressInfo;
    const openSockets = network({}, { HTTPS_PROXY: `http://me:canary-7@127.0.0.1:${port}` });
    const error = await thrownBy(clientOf(`https://${SERVICE}`, { openSockets }).list('r1'));
    server.close();
    expect(error.message).toContain('407 no [hidden] in [hidden]');
  });

  test('with 407, over plain http', async () => {
    const service = await startHttpServer((_request, response) => sendJson(response, {}, 407));
    const openSockets = network({}, { HTTP_PROXY: service.url });

    const call = clientOf('http://endpoints.svc.cluster.local', { openSockets }).roll('r', 'e', 2);

    expect((await thrownBy(call)).name).toBe('UpstreamProxy');
    expect(service.received).toHaveLength(1);
  });

  test('with 502: a read is tried again, and a write was certainly not sent', async () => {
    const proxy = await startProxy({ to: 'http://127.0.0.1:1', refuse: 502 });
    const openSockets = network({}, { HTTPS_PROXY: proxy.url });
    const calls = clientOf(`https://${SERVICE}`, { openSockets });

    expect((await thrownBy(calls.list('r1'))).name).toBe('UpstreamTransient');
    expect(proxy.asked).toHaveLength(3);
    for (const operation of WRITES) {
      expect((await thrownBy(run(calls, operation))).name).toBe('UpstreamTransient');
    }
    expect(proxy.asked).toHaveLength(3 + WRITES.length);
  });

  test('because it is not there', async () => {
    const openSockets = network({}, { HTTPS_PROXY: 'http://127.0.0.1:1' });

    expect(
      await thrownBy(clientOf(`https://${SERVICE}`, { openSockets }).list('r1')),
    ).toMatchObject({
      name: 'UpstreamTransient',
      message: expect.stringContaining('the proxy http://127.0.0.1:1 (HTTPS_PROXY)'),
    });
  });

  test.each(OPERATIONS)('%s: its silence ends with the deadline', async (operation) => {
    const proxy = await startProxy({ to: 'http://127.0.0.1:1', refuse: 'hang' });
    const openSockets = network({}, { HTTPS_PROXY: proxy.url });
    const calls = clientOf(`https://${SERVICE}`, {
      openSockets,
      clock: realClock,
      deadlineMs: 100,
    });

    expect((await thrownBy(run(calls, operation))).name).toBe('UpstreamTimeout');
  });
});

describe('a write', () => {
  test.each(WRITES)(
    '%s is not sent when the proxy took too long to make the way',
    async (operation) => {
      const clock = createTestClock();
      const service = await startService();
      const proxy = await startProxy({ to: service.url, onConnect: () => clock.advance(2_001) });
      const openSockets = network(TRUST, { HTTPS_PROXY: proxy.url });

      const error = await thrownBy(
        run(clientOf(`https://${SERVICE}`, { openSockets, clock }), operation),
      );

      expect(error).toMatchObject({ name: 'UpstreamTimeout', retryAfterSeconds: 1 });
      expect(proxy.asked).toHaveLength(1);
      expect(service.seen).toHaveLength(0);
    },
  );

  test.each(WRITES)(
    '%s is sent once when the connection breaks behind the proxy',
    async (operation) => {
      const service = await startService({}, (request) => request.socket.destroy());
      const proxy = await startProxy({ to: service.url });
      const openSockets = network(TRUST, { HTTPS_PROXY: proxy.url });

      const call = run(clientOf(`https://${SERVICE}`, { openSockets }), operation);

      expect((await thrownBy(call)).name).toBe('OutcomeUnknown');
      expect(service.seen).toHaveLength(1);
    },
  );

  test.each(WRITES)(
    '%s is in doubt when a proxy of plain http answers for the service',
    async (operation) => {
      const proxy = await startHttpServer((_request, response) => sendJson(response, {}, 502));
      const openSockets = network({}, { HTTP_PROXY: proxy.url });

      const call = run(clientOf('http://endpoints.svc.cluster.local', { openSockets }), operation);

      expect((await thrownBy(call)).name).toBe('OutcomeUnknown');
      expect(proxy.received).toHaveLength(1);
    },
  );
});

describe('a server with a private authority', () => {
  test('is trusted when the settings name the authority, and the usual ones still are', async () => {
    const service = await startService();

    expect(await thrownBy(clientOf(service.url).list('r1'))).toMatchObject({ name: 'UpstreamTls' });
    const openSockets = network(TRUST);
    expect(await clientOf(service.url, { openSockets }).list('r1')).toHaveLength(3);
    const { ca } = await openTls(TRUST)(true);
    expect(ca?.length).toBeGreaterThan(100);
  });

  test('must still have the name that was called', async () => {
    const service = await startService(authority.issue('other', ['other.example.com']));

    const call = clientOf(service.url, { openSockets: network(TRUST) }).list('r1');

    expect((await thrownBy(call)).name).toBe('UpstreamTls');
    expect(service.seen).toHaveLength(0);
  });
});

describe.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a server that wants a client certificate, over %s',
  (version) => {
    const mutual: ServerOptions = {
      ...{ requestCert: true, rejectUnauthorized: true, ca: authority.cert },
      ...{ minVersion: version, maxVersion: version },
    };

    test.each(OPERATIONS)('gets it for %s', async (operation) => {
      const service = await startService(mutual);

      await run(clientOf(service.url, { openSockets: network(IDENTITY) }), operation);

      expect(service.seen.map(({ subject }) => subject)).toEqual(['the client']);
    });
  },
);

describe('a server that breaks off when it does not get the client certificate that it wants', () => {
  const mutual: ServerOptions = { requestCert: true, rejectUnauthorized: true, ca: authority.cert };

  test('refuses, whether it got none or that of a stranger', async () => {
    const service = await startService(mutual);
    const stranger = createAuthority('strangers').issue('the client');
    const foreign = { ...TRUST, cert: fileOf(stranger.cert), key: fileOf(stranger.key) };

    for (const tls of [TRUST, foreign]) {
      const call = clientOf(service.url, { openSockets: network(tls) }).list('r1');
      expect((await thrownBy(call)).name).toBe('UpstreamTls');
    }
    expect(service.seen).toHaveLength(0);
  });

  test.each(WRITES)('leaves %s in doubt, which was sent once', async (operation) => {
    const service = await startService(mutual);
    const exchanges: unknown[] = [];
    const onExchange = (exchange: unknown) => exchanges.push(exchange);

    const call = run(clientOf(service.url, { openSockets: network(TRUST), onExchange }), operation);

    expect(await thrownBy(call)).toMatchObject({ name: 'OutcomeUnknown' });
    expect(exchanges).toHaveLength(1);
  });
});

test('an alert in the handshake is a refusal, and is not tried again', async () => {
  let handshakes = 0;
  const service = await startService({
    ALPNCallback: () => {
      handshakes += 1;
      return undefined;
    },
  });

  const call = clientOf(service.url, { openSockets: network(TRUST) }).list('r1');

  expect((await thrownBy(call)).name).toBe('UpstreamTls');
  expect(handshakes).toBe(1);
});

test('a server that asks for no certificate, and breaks off, has an outage', async () => {
  const service = await startService({}, (request) => request.socket.destroy());

  const call = clientOf(service.url, { openSockets: network(TRUST) }).list('r1');

  expect((await thrownBy(call)).name).toBe('UpstreamTransient');
});

test('a server that has answered before, and then breaks off, has an outage', async () => {
  let answers = 0;
  const mutual = { requestCert: true, ca: authority.cert };
  const service = await startService(mutual, (request, response) => {
    answers += 1;
    if (answers === 1) answerLikeService(request, response);
    else request.socket.destroy();
  });
  const calls = clientOf(service.url, { openSockets: network(IDENTITY) });

  await calls.list('r1');

  expect((await thrownBy(calls.list('r1'))).name).toBe('UpstreamTransient');
});

test('a certificate that was replaced is shown on the next socket', async () => {
  const service = await startService({ requestCert: true, ca: authority.cert, keepAlive: false });
  const cert = fileOf(client.cert);
  const key = fileOf(client.key);
  const openSockets = network({ ...TRUST, cert, key });

  await clientOf(service.url, { openSockets }).list('r1');
  const next = authority.issue('the next client');
  writeFileSync(cert.file, next.cert);
  writeFileSync(key.file, next.key);
  await clientOf(service.url, { openSockets }).list('r1');

  expect(service.seen.map(({ subject }) => subject)).toEqual(['the client', 'the next client']);
});

describe('what cannot be used is refused before anything is sent, and never quoted', () => {
  const other = authority.issue('other');
  const key = '-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n';
  test.each<[string, Record<string, string>, string, string]>([
    ['no authority', { ca: 'canary' }, 'InvalidCredential', 'tls.ca: use certificates in PEM'],
    ['no certificate', { cert: 'canary', key: client.key }, 'InvalidCredential', 'tls.cert: '],
    ['no key', { cert: client.cert, key }, 'InvalidCredential', 'tls.key: use a private key'],
    ['the key of another', { cert: client.cert, key: other.key }, 'InvalidCredential', 'tls.key: '],
  ])('%s', async (_, material, name, message) => {
    const service = await startService();
    const tls = Object.fromEntries(
      Object.entries(material).map(([field, text]) => [field, fileOf(text)]),
    );
    const calls = clientOf(service.url, { openSockets: network(tls) });

    for (const operation of OPERATIONS) {
      const error = await thrownBy(run(calls, operation));
      expect(error).toMatchObject({ name, message: expect.stringContaining(message) });
      expect(JSON.stringify([error.message, error.stack])).not.toContain('canary');
    }
  });

  test('a file that is not there', async () => {
    const service = await startService();
    const openSockets = network({ ca: { file: join(folder, 'none.pem') } });

    expect(await thrownBy(clientOf(service.url, { openSockets }).roll('r', 'e', 2))).toMatchObject({
      name: 'SecretUnavailable',
    });
  });
});
