import { describe, expect, test } from '@jest/globals';
import { parseEndpointUrl } from '../../../lib/contract/service/endpoint-url.ts';

const refusal = (message = '') =>
  expect.objectContaining({ name: 'InvalidInput', message: expect.stringContaining(message) });

test.each([
  ['https://service.example', 'https://service.example'],
  ['https://service.example/', 'https://service.example'],
  ['https://service.example/runtime//', 'https://service.example/runtime'],
  ['https://Service.Example:443/a/b', 'https://service.example/a/b'],
  ['https://service.example:8443', 'https://service.example:8443'],
  ['https://10.0.0.5/x', 'https://10.0.0.5/x'],
  ['http://localhost:8080', 'http://localhost:8080'],
  ['http://127.0.0.1:8080/runtime', 'http://127.0.0.1:8080/runtime'],
  ['http://127.9.9.9', 'http://127.9.9.9'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
  ['https://service.example/a@b', 'https://service.example/a@b'],
])('%s is %s', (value, url) => {
  expect(parseEndpointUrl(value)).toBe(url);
});

describe('C06: refused', () => {
  test.each([
    ['http elsewhere', 'http://service.example', 'http is only for this machine'],
    ['http to a name like localhost', 'http://localhost.example', 'http is only for'],
    ['http to a name like a loopback address', 'http://127.0.0.1.example', 'http is only for'],
    ['http to a private address', 'http://10.0.0.5', 'http is only for'],
    [
      'another scheme',
      'ftp://service.example',
      'it must start with https://, or with http:// for this machine',
    ],
    ['a file', 'file:///etc/passwd', 'it must start with https://'],
    ['a user', 'https://me@service.example', 'user name or password'],
    ['a user and a password', 'https://me:canary@service.example', 'user name or password'],
    ['an empty user', 'https://@service.example', 'user name or password'],
    ['a query', 'https://service.example/?a=1', 'a query'],
    ['an empty query', 'https://service.example/?', 'a query'],
    ['a fragment', 'https://service.example/#a', 'a fragment'],
    ['no URL', 'service.example', 'not a URL'],
    ['nothing', '', 'not a URL'],
    ['a newline', 'https://service.example/a\nb', 'white space'],
    ['a space around it', ' https://service.example', 'white space'],
    ['a backslash', 'https://service.example\\@other.example', 'backslashes'],
    ['a region that is not filled in', 'https://{region}.example', 'no region is set'],
    ['other braces', 'https://service.example/{zone}', 'only {region} may stand in braces'],
    ['the metadata address', 'https://169.254.169.254/latest', '169.254.169.254 is not allowed'],
    ['another link-local address', 'https://169.254.0.1', 'is not allowed'],
    ['the metadata address with a dot', 'https://169.254.169.254./', 'is not allowed'],
    ['the metadata address as a number', 'https://2852039166/', 'the address is 169.254.169.254'],
    [
      'the metadata address in hex',
      'https://0xa9.0xfe.0xa9.0xfe',
      'the address is 169.254.169.254',
    ],
    [
      'a loopback address as a number',
      'http://2130706433/',
      'the address is 127.0.0.1, write it so',
    ],
    ['a short loopback address', 'http://127.1', 'the address is 127.0.0.1, write it so'],
    ['the metadata address in IPv6', 'https://[::ffff:169.254.169.254]', 'is not allowed'],
    ['the metadata address in old IPv6', 'https://[::169.254.169.254]', 'is not allowed'],
    ['the metadata address through NAT64', 'https://[64:ff9b::169.254.169.254]', 'is not allowed'],
    ['another provider’s in IPv6', 'https://[::ffff:100.100.100.200]', 'is not allowed'],
    ['a third provider’s', 'https://[fd20:ce::254]', 'is not allowed'],
    ['the metadata address in 6to4', 'https://[2002:a9fe:a9fe::1]', 'is not allowed'],
    ['the metadata address in Teredo', 'https://[2001:0:a9fe:a9fe::1]', 'is not allowed'],
    ['the metadata address in octal', 'https://0251.0376.0251.0376', 'the address is 169.254.'],
    [
      'a loopback address behind NAT64',
      'http://[64:ff9b::7f00:1]',
      'http is only for this machine',
    ],
    ['the metadata address of IPv6', 'https://[fd00:ec2::254]', 'is not allowed'],
    ['a link-local address in IPv6', 'https://[fe80::1]', 'is not allowed'],
    ['no address', 'https://0.0.0.0', 'is not allowed'],
    ['no address in IPv6', 'https://[::]', 'is not allowed'],
  ])('%s', (_, value, message) => {
    expect(() => parseEndpointUrl(value)).toThrow(refusal(message));
  });

  test('with every fault at once, and without the URL', () => {
    expect(() => parseEndpointUrl('http://me:canary@169.254.169.254/?q#f')).toThrow(
      expect.objectContaining({
        name: 'InvalidInput',
        message:
          'endpoint URL: a user name or password is not allowed; a query is not allowed; ' +
          'a fragment is not allowed; http is only for this machine (localhost, 127.0.0.0/8, [::1]): ' +
          'use https, or name the host in allowHttp; the address 169.254.169.254 is not allowed',
      }),
    );
  });
});

describe('plain http elsewhere', () => {
  const allowed = { allowPlainHttp: true };

  test('is accepted when asked for', () => {
    expect(parseEndpointUrl('http://service.internal/x', allowed)).toBe(
      'http://service.internal/x',
    );
  });

  test.each(['http://169.254.169.254', 'http://2852039166', 'ftp://service.internal'])(
    'C06: %s is refused all the same',
    (value) => {
      expect(() => parseEndpointUrl(value, allowed)).toThrow(refusal());
    },
  );
});
