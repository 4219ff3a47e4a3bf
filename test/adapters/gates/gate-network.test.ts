import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openGates } from '../../../lib/adapters/gates/gates.ts';
import { createNetwork, type ReadTls } from '../../../lib/adapters/http/network.ts';
import { checks } from '../../../lib/gates/checks.ts';
import { prometheus } from '../../../lib/gates/prometheus.ts';
import { createAuthority } from '../../support/certificates.ts';
import { checkQuestion } from '../../support/check-question.ts';
import { startHttpServer } from '../http/fault-server.ts';
import { startProxy } from '../http/proxy-server.ts';

// Checks and queries are called like everything else: through the proxies, and with the authorities of tls.ca.

const HOST = 'gates.corp.example';
const authority = createAuthority();
const client = authority.issue('the client');

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const ANSWER = {
  hookStatus: 'SUCCEEDED',
  ...{ status: 'success', data: { resultType: 'scalar', result: [1, '3'] } },
};

/** A server over TLS that answers checks and queries, and asks for a client certificate, which it remembers. */
async function startServer() {
  const subjects: unknown[] = [];
  const paths: (string | undefined)[] = [];
  const identity = authority.issue('gates', [HOST]);
  const server = createServer(
    { ...identity, requestCert: true, rejectUnauthorized: false, ca: authority.cert },
    (request, answer) => {
      subjects.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
      paths.push(request.url);
      answer.end(JSON.stringify(ANSWER));
    },
  );
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, subjects, paths };
}

const PRIVATE: ReadTls = async (shows) => ({ ca: authority.cert, ...(shows && client) });

type Gates = ReturnType<typeof openGates>;

const ASKED: readonly [string, string, (gates: Gates, origin: string) => Promise<object>][] = [
  [
    'a check',
    '/hook',
    (gates, origin) => {
      const [check] = checks.schema.parse([{ name: 'smoke', url: `${origin}/hook` }]);
      return gates.check(check as never, checkQuestion());
    },
  ],
  [
    'a query of Prometheus',
    '/prom/api/v1/query',
    (gates, origin) => {
      const rule = { name: 'errors', url: `${origin}/prom`, query: 'errors', above: 5 };
      const [parsed] = prometheus.schema.parse([rule]);
      return gates.prometheus(parsed as never, 'errors', 'web-1');
    },
  ],
];

describe.each(ASKED)('%s', (_, path, ask) => {
  test('goes through the proxy, and trusts a private authority, to which no client certificate is shown', async () => {
    const server = await startServer();
    const proxy = await startProxy({ to: server.url });
    const gates = openGates(createNetwork(PRIVATE, { HTTPS_PROXY: proxy.url }));

    const answer = await ask(gates, `https://${HOST}`);

    expect(answer).not.toMatchObject({ verdict: 'unknown' });
    expect(proxy.asked).toEqual([`CONNECT ${HOST}:443`]);
    expect(server).toMatchObject({ paths: [path], subjects: [undefined] });
  });

  test('to a server that nobody trusts is not sent, and is no answer', async () => {
    const server = await startServer();
    const proxy = await startProxy({ to: server.url });
    const gates = openGates(createNetwork(undefined, { HTTPS_PROXY: proxy.url }));

    expect(await ask(gates, `https://${HOST}`)).toMatchObject({ verdict: 'unknown' });
    expect(server.paths).toEqual([]);
  });

  test.each([403, 502])('behind a proxy that says %d is no answer', async (refuse) => {
    const proxy = await startProxy({ to: 'http://127.0.0.1:1', refuse });
    const gates = openGates(createNetwork(undefined, { HTTPS_PROXY: proxy.url }));

    expect(await ask(gates, `https://${HOST}`)).toMatchObject({ verdict: 'unknown' });
    expect(proxy.asked).toHaveLength(1);
  });

  test('over plain http is handed to the proxy whole', async () => {
    const server = await startHttpServer((_, response) => response.end(JSON.stringify(ANSWER)));
    const proxy = await startProxy({ to: server.url });
    const gates = openGates(createNetwork(undefined, { HTTP_PROXY: proxy.url }));

    const answer = await ask(gates, 'http://gates.prod.svc.cluster.local');

    expect(answer).not.toMatchObject({ verdict: 'unknown' });
    expect(proxy.asked).toEqual([`POST http://gates.prod.svc.cluster.local${path}`]);
  });

  test('to a host in NO_PROXY goes directly', async () => {
    const server = await startHttpServer((_, response) => response.end(JSON.stringify(ANSWER)));
    const proxy = await startProxy({ to: 'http://127.0.0.1:1' });
    const gates = openGates(
      createNetwork(undefined, { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' }),
    );

    expect(await ask(gates, server.url)).not.toMatchObject({ verdict: 'unknown' });
    expect(proxy.asked).toEqual([]);
  });
});
