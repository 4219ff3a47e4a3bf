import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, expect, test } from '@jest/globals';
import { probeEndpoint } from '../../../lib/adapters/gates/probe.ts';
import { createNetwork } from '../../../lib/adapters/http/network.ts';
import { createAuthority } from '../../support/certificates.ts';
import { startHttpServer } from '../http/fault-server.ts';
import { startProxy } from '../http/proxy-server.ts';

const PROBE = {
  ...{ path: '/healthz', status: 200, tries: 1, timeoutSeconds: 5 },
  privateNetwork: false,
};
const authority = createAuthority();
const client = authority.issue('the client');
const TLS = { ca: authority.cert, cert: client.cert, key: client.key };

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

/** An endpoint over TLS that asks for a client certificate, and remembers whose it got. */
async function startEndpoint() {
  const subjects: unknown[] = [];
  const identity = authority.issue('endpoint', ['web.example.com']);
  const server = createServer(
    { ...identity, requestCert: true, rejectUnauthorized: false, ca: authority.cert },
    (request, answer) => {
      subjects.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
      answer.end();
    },
  );
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, subjects };
}

const nowhere: LookupFunction = (_host, _options, callback) =>
  callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);

async function probeWith(hosts: string[], lookup = nowhere) {
  const endpoint = await startEndpoint();
  const proxy = await startProxy({ to: endpoint.url });
  // The options hold for whatever else asks; the certificate must still not be shown.
  const openSockets = createNetwork(async (shows) => (shows ? TLS : { ca: TLS.ca }), {
    HTTPS_PROXY: proxy.url,
  });
  const url = 'https://web.example.com/x';
  const answer = await probeEndpoint(url, { ...PROBE, hosts }, { lookup, openSockets });
  return { answer, asked: proxy.asked, subjects: endpoint.subjects };
}

test('a host that is named whole is asked through the proxy, without the client certificate', async () => {
  expect(await probeWith(['*.example.com', 'Web.Example.com'])).toEqual({
    answer: { verdict: 'pass', detail: '200' },
    asked: ['CONNECT web.example.com:443'],
    subjects: [undefined],
  });
});

test('a host that only a pattern names is never asked through the proxy', async () => {
  const { answer, asked } = await probeWith(['*.example.com']);

  expect(answer).toEqual({ verdict: 'unknown', detail: 'not asked: ENOTFOUND' });
  expect(asked).toEqual([]);
});

test('C06: behind a proxy for others, the guard of addresses still sees where a name leads', async () => {
  const inside: LookupFunction = (_host, _options, callback) =>
    callback(null, [{ address: '10.0.0.5', family: 4 }]);

  const { answer, asked } = await probeWith(['*.example.com'], inside);

  expect(answer.detail).toContain('leads to 10.0.0.5, which needs verify.probe.privateNetwork');
  expect(asked).toEqual([]);
});

test.each([403, 502])('a proxy that says %d is no answer of the endpoint', async (refuse) => {
  const proxy = await startProxy({ to: 'http://127.0.0.1:1', refuse });
  const openSockets = createNetwork(undefined, { HTTPS_PROXY: proxy.url });
  const probe = { ...PROBE, hosts: ['web.example.com'] };

  const answer = await probeEndpoint('https://web.example.com', probe, { openSockets });

  expect(answer).toMatchObject({
    verdict: 'unknown',
    detail: expect.stringContaining(`${refuse}`),
  });
});

test('plain http is asked where it is allowed, and private addresses only with privateNetwork', async () => {
  const endpoint = await startHttpServer((_request, response) => response.end());
  const { port } = new URL(endpoint.url);
  const here: LookupFunction = (_host, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const url = `http://web.shop.svc.cluster.local:${port}`;
  const openSockets = createNetwork(undefined, {});
  const ask = (more: object) =>
    probeEndpoint(
      url,
      { ...PROBE, hosts: ['*.shop.svc.cluster.local'], ...more },
      { lookup: here, openSockets },
    );
  const allowHttp = ['*.svc.cluster.local'];

  expect((await ask({})).detail).toContain('name the host in allowHttp');
  expect((await ask({ allowHttp })).detail).toContain('verify.probe.privateNetwork');
  expect(endpoint.received).toHaveLength(0);
  expect(await ask({ allowHttp, privateNetwork: true })).toEqual({
    verdict: 'pass',
    detail: '200',
  });
});
