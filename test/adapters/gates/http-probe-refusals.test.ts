import net, { type LookupFunction } from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { probeEndpoint } from '../../../lib/adapters/gates/probe.ts';
import type { Probe } from '../../../lib/gates/probe.ts';
import { startHttpServer } from '../http/fault-server.ts';

const PROBE: Probe = {
  path: '/healthz',
  status: 200,
  tries: 1,
  timeoutSeconds: 30,
  hosts: ['localhost', '127.0.0.1'],
  privateNetwork: false,
};

afterEach(() => {
  jest.restoreAllMocks();
});

describe('an endpoint that cannot be asked', () => {
  test.each([
    ['a host that is not in the list', 'https://a.example.com', 'is not in verify.probe.hosts'],
    ['http elsewhere', 'http://a.example.com', 'http is only for this machine'],
    ['no URL', 'nonsense', 'not a URL'],
  ])('is unknown: %s', async (_, url, detail) => {
    expect(await probeEndpoint(url, PROBE)).toEqual({
      verdict: 'unknown',
      detail: expect.stringContaining(detail),
    });
  });

  test.each(['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254'])(
    'C06: a name that leads to %s is never connected to',
    async (address) => {
      const connect = jest.spyOn(net, 'connect');
      const server = await startHttpServer((_request, response) => response.end());
      const port = new URL(server.url).port;
      const found = [
        { address: '127.0.0.1', family: 4 },
        { address, family: net.isIP(address) },
      ];

      const lookup: LookupFunction = (_host, _options, callback) => callback(null, found);
      const answer = await probeEndpoint(`http://localhost:${port}`, PROBE, { lookup });

      expect(answer).toEqual({
        verdict: 'unknown',
        detail: `endpoint URL: its host leads to ${address}`,
      });
      expect(connect).toHaveBeenCalledTimes(1);
      expect(server.sockets()).toBe(0);
    },
  );

  test.each(['ENOTFOUND', 'EAI_AGAIN', 'EMFILE'])('H29: is unknown after %s', async (code) => {
    const error = Object.assign(new Error(`getaddrinfo ${code}`), { code });
    const lookup: LookupFunction = (_host, _options, callback) => callback(error, []);

    expect(await probeEndpoint('http://localhost:1', PROBE, { lookup })).toEqual({
      verdict: 'unknown',
      detail: `not asked: ${code}`,
    });
  });

  test('is unknown when the request itself is at fault', async () => {
    const server = await startHttpServer((_request, response) => response.end());

    expect(await probeEndpoint(server.url, { ...PROBE, path: 'healthz' })).toEqual({
      verdict: 'unknown',
      detail: 'not asked: UND_ERR_INVALID_ARG',
    });
  });

  test('is unknown after a fault of ours', async () => {
    const lookup: LookupFunction = (_host, _options, callback) =>
      callback(new TypeError('broken'), []);

    expect(await probeEndpoint('http://localhost:1', PROBE, { lookup })).toEqual({
      verdict: 'unknown',
      detail: 'broken',
    });
  });
});

test('C06: no URL outside the list is ever connected to', async () => {
  const hosts: string[] = [];
  const refuse = ((options: net.TcpNetConnectOpts) => {
    hosts.push(options.host ?? '');
    throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  }) as unknown as typeof net.connect;
  jest.spyOn(net, 'connect').mockImplementation(refuse);
  jest.spyOn(tls, 'connect').mockImplementation(refuse as unknown as typeof tls.connect);
  const label = fc.constantFrom(
    'a',
    'B',
    'web-1',
    'example',
    'com',
    'localhost',
    '127',
    '169',
    '254',
  );
  const host = fc.oneof(
    fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
    fc.constantFrom(
      '127.0.0.1',
      '[::1]',
      '169.254.169.254',
      '[fe80::1]',
      'a.example.com',
      '2130706433',
    ),
  );
  const url = fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'HTTPS://', 'https:/', 'https:\\\\', 'ftp://', '//'),
      fc.constantFrom('', '', '', 'me@', 'a.example.com@', 'a.example.com:x@'),
      host,
      fc.constantFrom('', ':8080', '.', '\\@a.example.com', '?@a.example.com', '#.example.com'),
    )
    .map((parts) => parts.join(''));
  const pattern = fc.oneof(
    host,
    fc.constantFrom('*', '*.*', '*.example.com', 'web-*.com', '*.*.*.*', 'localhost', '127.0.0.1'),
  );
  let connections = 0;

  await fc.assert(
    fc.asyncProperty(url, fc.array(pattern, { maxLength: 3 }), async (anyUrl, patterns) => {
      hosts.length = 0;

      const answer = await probeEndpoint(anyUrl, { ...PROBE, hosts: patterns });

      connections += hosts.length;
      expect(hosts).toHaveLength(answer.verdict === 'fail' ? 1 : 0);
      for (const connected of hosts.map((name) => (name.includes(':') ? `[${name}]` : name))) {
        expect(patterns.some((one) => asRegExp(one).test(connected))).toBe(true);
        expect(connected).not.toMatch(/^169\.254|^\[fe80/);
      }
    }),
    // One that is on its list, so that it is never luck whether anything is connected to.
    { numRuns: 200, examples: [['https://a.example.com', ['*.example.com']]] },
  );

  expect(connections).toBeGreaterThan(0);
});

function asRegExp(pattern: string): RegExp {
  const escaped = pattern.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[^.]*')}$`, 'i');
}
