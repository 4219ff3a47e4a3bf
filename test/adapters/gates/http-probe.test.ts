import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import tls from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { probeEndpoint } from '../../../lib/adapters/gates/probe.ts';
import type { Probe } from '../../../lib/gates/probe.ts';
import { startHttpServer, startSocketServer, startTlsServer } from '../http/fault-server.ts';
import { SELF_SIGNED } from '../http/self-signed.ts';

const PROBE: Probe = {
  path: '/healthz',
  status: 200,
  tries: 1,
  timeoutSeconds: 30,
  hosts: ['127.0.0.1', 'localhost'],
  privateNetwork: false,
};
/** Real time, short enough not to be noticed. */
const inAHurry: Probe = { ...PROBE, timeoutSeconds: 0.06 };

describe('an endpoint that answers', () => {
  test('passes with the status that was asked for', async () => {
    const server = await startHttpServer((_request, response) => response.end('secret body'));

    expect(await probeEndpoint(server.url, PROBE)).toEqual({ verdict: 'pass', detail: '200' });
  });

  test('is asked for the path of the probe, in place of its own path and query', async () => {
    const server = await startHttpServer((_request, response) => response.end());

    await probeEndpoint(`${server.url}/app/?a=1#top`, { ...PROBE, path: '/live?full=1' });

    expect(server.received.map(({ url }) => url)).toEqual(['/live?full=1']);
  });

  test.each([201, 204, 400, 401, 404, 500, 503])('fails with %d', async (status) => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(status).end(status === 204 ? undefined : 'secret body');
    });

    expect(await probeEndpoint(server.url, PROBE)).toEqual({
      verdict: 'fail',
      detail: String(status),
    });
    expect(server.received).toHaveLength(1);
  });

  test('may be asked for another status', async () => {
    const server = await startHttpServer((_request, response) => response.writeHead(204).end());

    expect(await probeEndpoint(server.url, { ...PROBE, status: 204 })).toEqual({
      verdict: 'pass',
      detail: '204',
    });
  });

  test.each([300, 301, 302, 303, 304, 307, 308])('H21: %d is not followed', async (status) => {
    const elsewhere = await startHttpServer((_request, response) => response.end());
    const server = await startHttpServer((_request, response) => {
      response.writeHead(status, { location: `${elsewhere.url}/healthz` }).end();
    });

    expect(await probeEndpoint(server.url, PROBE)).toEqual({
      verdict: 'fail',
      detail: `${status}, redirects are not followed`,
    });
    expect(elsewhere.sockets()).toBe(0);
  });
});

describe('an endpoint that does not answer', () => {
  test('H26: fails when it is late', async () => {
    const server = await startHttpServer(() => {});

    expect(await probeEndpoint(server.url, inAHurry)).toEqual({
      verdict: 'fail',
      detail: 'no answer in 0.06 s',
    });
  });

  test('H26: fails when its body stops coming', async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(200).write('some of it');
    });

    expect(await probeEndpoint(server.url, inAHurry)).toEqual({
      verdict: 'fail',
      detail: 'no answer in 0.06 s',
    });
  });

  test('fails when nobody listens', async () => {
    expect(await probeEndpoint('http://127.0.0.1:1', PROBE)).toEqual({
      verdict: 'fail',
      detail: 'connection refused',
    });
  });

  test.each([
    ['hangs up', '', 'UND_ERR_SOCKET'],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH\r\n', 'HTTPParserError'],
  ])('fails when it %s', async (_, text, reason) => {
    const server = await startSocketServer((socket) => socket.end(text));

    expect(await probeEndpoint(server.url, PROBE)).toEqual({
      verdict: 'fail',
      detail: `no answer: ${reason}`,
    });
  });

  test('H30: fails when its certificate is not trusted', async () => {
    expect(await probeEndpoint(await startTlsServer(SELF_SIGNED), PROBE)).toEqual({
      verdict: 'fail',
      detail: 'no answer: DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });
});

test('https is asked like http, and the certificate must be of the host', async () => {
  const trusted = tls.getCACertificates('default');
  const server = createHttpsServer(SELF_SIGNED, (_request, response) => response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lookup: LookupFunction = (_host, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const probe = { ...PROBE, hosts: ['localhost', 'a.example.com'], privateNetwork: true };
  try {
    tls.setDefaultCACertificates([SELF_SIGNED.cert]);
    expect(await probeEndpoint(`https://localhost:${port}`, probe, { lookup })).toEqual({
      verdict: 'pass',
      detail: '200',
    });
    expect(await probeEndpoint(`https://a.example.com:${port}`, probe, { lookup })).toEqual({
      verdict: 'fail',
      detail: 'no answer: ERR_TLS_CERT_ALTNAME_INVALID',
    });
  } finally {
    tls.setDefaultCACertificates(trusted);
    server.close();
    await once(server, 'close');
  }
});
