import { describe, expect, test } from '@jest/globals';
import { originToProbe } from '../../../lib/contract/service/endpoint-url.ts';

const refusal = (message: string) =>
  expect.objectContaining({ name: 'InvalidInput', message: expect.stringContaining(message) });

describe('an endpoint that may be asked', () => {
  test.each([
    ['https://a.example.com', 'a.example.com', 'https://a.example.com'],
    ['https://a.example.com', '*.example.com', 'https://a.example.com'],
    ['https://A.Example.COM', '*.example.com', 'https://a.example.com'],
    ['https://a.example.com', '*.EXAMPLE.com', 'https://a.example.com'],
    ['https://a.example.com:8443', '*.example.com', 'https://a.example.com:8443'],
    ['https://web-7.example.com', 'web-*.example.com', 'https://web-7.example.com'],
    ['https://a.b.example.com', '*.*.example.com', 'https://a.b.example.com'],
    ['https://a.example.com/app/v1?x=1#top', '*.example.com', 'https://a.example.com'],
    ['https://a.example.com?to=https://elsewhere.com', 'a.example.com', 'https://a.example.com'],
    ['https://10.0.0.5', '10.0.0.5', 'https://10.0.0.5'],
    ['http://localhost:8080/x', 'localhost', 'http://localhost:8080'],
    ['http://127.0.0.1:8080', '127.0.0.1', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080', '[::1]', 'http://[::1]:8080'],
  ])('%s on %s is %s', (url, host, origin) => {
    expect(originToProbe(url, ['other.example.org', host])).toBe(origin);
  });
});

describe('a host that is not in the list', () => {
  test.each([
    ['https://a.b.example.com', '*.example.com'],
    ['https://example.com', '*.example.com'],
    ['https://a.example.com.elsewhere.com', '*.example.com'],
    ['https://elsewhere.com/a.example.com', '*.example.com'],
    ['https://elsewhere.com?a.example.com', '*.example.com'],
    ['https://elsewhere.com#@a.example.com', '*.example.com'],
    ['https://a.example.com.', 'a.example.com'],
    ['https://aexample.com', '*.example.com'],
    ['https://a-example.com', 'a.example.com'],
    ['https://web.example.com', 'web-*.example.com'],
    ['https://a.example.com', '*'],
    ['https://a.example.com', '*.com'],
    ['https://a.example.com:8443', 'a.example.com:8443'],
    ['https://xn--bcher-kva.example', 'bucher.example'],
    ['http://127.0.0.2', '127.0.0.1'],
    ['http://localhost', '127.0.0.1'],
  ])('C06: %s on %s is refused', (url, host) => {
    expect(() => originToProbe(url, [host])).toThrow(refusal('is not in verify.probe.hosts'));
  });

  test('C06: no list allows nothing', () => {
    expect(() => originToProbe('https://a.example.com', [])).toThrow(
      refusal('the host a.example.com is not in verify.probe.hosts'),
    );
  });
});

describe('a URL that is never asked, whatever the list says', () => {
  const everything = ['*', '*.*', '*.*.*', '*.*.*.*'];

  test.each([
    ['http elsewhere', 'http://a.example.com', 'http is only for this machine'],
    ['another scheme', 'ftp://a.example.com', 'it must start with https://'],
    ['a file', 'file:///etc/passwd', 'it must start with https://'],
    ['a user', 'https://me@a.example.com', 'a user name or password'],
    ['a password', 'https://me:canary@a.example.com', 'a user name or password'],
    ['the metadata address', 'https://169.254.169.254/latest', 'is not allowed'],
    ['the metadata address as a number', 'https://2852039166', 'the address is 169.254.169.254'],
    ['the metadata address in IPv6', 'https://[::ffff:169.254.169.254]', 'is not allowed'],
    ['a link-local address', 'https://[fe80::1]', 'is not allowed'],
    ['a backslash', 'https://a.example.com\\@elsewhere.com', 'backslashes'],
    ['a newline', 'https://a.exam\nple.com', 'white space'],
    ['no URL', 'a.example.com', 'not a URL'],
    ['nothing', '', 'not a URL'],
    ['a query alone', '?https://a.example.com', 'not a URL'],
  ])('C06: %s', (_, url, message) => {
    expect(() => originToProbe(url, everything)).toThrow(refusal(message));
  });

  test('a refusal does not quote a password', () => {
    expect(() => originToProbe('https://me:canary@a.example.com', everything)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('canary') }),
    );
  });
});
