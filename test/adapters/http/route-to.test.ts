import { describe, expect, test } from '@jest/globals';
import { routeTo } from '../../../lib/adapters/http/proxy.ts';

const PROXY = 'http://proxy.corp:3128';
const ALL = { HTTPS_PROXY: PROXY, HTTP_PROXY: 'http://plain.corp:3128' };

const to = (origin: string, variables: Record<string, string | undefined>) =>
  routeTo(origin, variables).proxy?.origin ?? null;

describe('the variables', () => {
  test.each([
    ['https', 'https://a.example.com', ALL, PROXY],
    ['http', 'http://a.example.com', ALL, 'http://plain.corp:3128'],
    ['small letters', 'https://a.example.com', { https_proxy: PROXY }, PROXY],
    [
      'both, the small ones first',
      'https://a.example.com',
      { https_proxy: PROXY, HTTPS_PROXY: 'http://x' },
      PROXY,
    ],
    ['an empty one', 'https://a.example.com', { https_proxy: '', HTTPS_PROXY: PROXY }, PROXY],
    ['none', 'https://a.example.com', {}, null],
    ['one for the other scheme', 'https://a.example.com', { HTTP_PROXY: PROXY }, null],
    [
      'a proxy without its scheme',
      'https://a.example.com',
      { HTTPS_PROXY: 'proxy.corp:3128' },
      PROXY,
    ],
    [
      'a proxy over TLS',
      'https://a.example.com',
      { HTTPS_PROXY: 'https://proxy.corp' },
      'https://proxy.corp',
    ],
    [
      'a proxy with a user',
      'https://a.example.com',
      { HTTPS_PROXY: 'http://me:x@proxy.corp:3128/' },
      PROXY,
    ],
  ])('%s', (_, origin, variables, expected) => {
    expect(to(origin, variables)).toBe(expected);
  });
});

test.each(['localhost', '127.0.0.1', '127.8.8.8', '[::1]', 'web.localhost'])(
  '%s is this machine, whatever a proxy would take it for',
  (host) => {
    expect(to(`http://${host}:8080`, ALL)).toBeNull();
    expect(to(`https://${host}:8443`, ALL)).toBeNull();
  },
);

describe('NO_PROXY', () => {
  test.each([
    ['*', 'https://a.example.com', true],
    ['a.example.com', 'https://a.example.com', true],
    ['A.Example.COM', 'https://a.example.com', true],
    ['example.com', 'https://a.example.com', true],
    ['.example.com', 'https://a.example.com', true],
    ['*.example.com', 'https://a.example.com', true],
    ['ample.com', 'https://a.example.com', false],
    ['b.example.com', 'https://a.example.com', false],
    ['x.org, b.org  example.com', 'https://a.example.com', true],
    ['example.com:8443', 'https://a.example.com:8443', true],
    ['example.com:443', 'https://a.example.com', true],
    ['example.com:8443', 'https://a.example.com', false],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/8', 'https://[fd00::1]', false],
    ['fd00::/8', 'https://[fd00::1]', true],
    ['[fd00::1]:8443', 'https://[fd00::1]:8443', true],
    ['fd00::1', 'https://[fd00::1]', true],
    ['', 'https://a.example.com', false],
  ])('%j with %s: direct is %s', (NO_PROXY, origin, isDirect) => {
    expect(to(origin, { ...ALL, NO_PROXY })).toBe(isDirect ? null : PROXY);
    expect(to(origin, { ...ALL, no_proxy: NO_PROXY })).toBe(isDirect ? null : PROXY);
  });

  test('is told by the entry that counts', () => {
    const NO_PROXY = 'x.org,.example.com';
    expect(routeTo('https://a.example.com', { ...ALL, NO_PROXY })).toEqual({
      proxy: null,
      exception: '.example.com',
    });
  });
});

test.each([
  ['socks5://me:canary@proxy.corp:1080', 'use http://HOST:PORT'],
  ['http://me:canary%@proxy.corp:3128', 'percent-encoding'],
  ['http://', 'use http://HOST:PORT'],
  ['me:canary@', 'use http://HOST:PORT'],
])('a proxy like %s is refused, without its user', (HTTPS_PROXY, message) => {
  const route = () => routeTo('https://a.example.com', { HTTPS_PROXY });
  expect(route).toThrow(expect.objectContaining({ name: 'InvalidInput' }));
  expect(route).toThrow(message);
  expect(route).toThrow(/^HTTPS_PROXY: ((?!canary).)*$/);
});
