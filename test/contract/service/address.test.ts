import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Reach, reachOf } from '../../../lib/contract/service/endpoint-url.ts';

test.each<[Reach, readonly string[]]>([
  [
    'public',
    ['1.1.1.1', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:1.1.1.1'],
  ],
  ['public', ['64:ff9b::1.1.1.1', '64:ff9b::101:101']],
  [
    'private',
    ['10.0.0.5', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '198.18.0.1'],
  ],
  ['private', ['fd12:3456::1', 'fc00::1', '192.0.2.1', '2001:db8::a9fe', '240.0.0.1']],
  ['private', ['::ffff:10.0.0.5', '::ffff:a00:5', '64:ff9b::10.0.0.5']],
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1']],
  ['none', ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1']],
  ['none', ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254']],
  ['none', ['fd00:ec2:0:0::254', 'FD20:CE::254', 'fd20:ce::254%eth0']],
  ['none', ['0.0.0.0', '0.1.2.3', '::', '255.255.255.255', '224.0.0.1', 'ff02::1']],
  ['none', ['64:ff9b::127.0.0.1', '64:ff9b:1::1.1.1.1', '::169.254.169.254', '::101:101']],
  [
    'none',
    ['2002:a9fe:a9fe::1', '2002:101:101::1', '2001:0:101:101::1', 'fec0::1', '::ffff:0:1.1.1.1'],
  ],
  ['none', ['', 'localhost', 'example.com', '1.1.1.1.1', '[::1]', '1.1.1.1/8']],
])('C06: %s: %j', (reach, addresses) => {
  expect(addresses.map((address) => [address, reachOf(address)])).toEqual(
    addresses.map((address) => [address, reach]),
  );
});

describe('C06: however it is written', () => {
  const HIDDEN = [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
  ];
  const hidden = fc.oneof(
    fc.constantFrom(...HIDDEN),
    fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `169.254.${a}.${b}`),
  );

  test('an address from which a machine hands out its credentials leads nowhere', () => {
    fc.assert(
      fc.property(hidden, notation, (address, write) => {
        expect([write(address), reachOf(write(address))]).toEqual([write(address), 'none']);
      }),
    );
  });

  test('a private address is never a public one', () => {
    const inside = fc
      .tuple(
        fc.constantFrom('10.1', '172.20', '192.168', '100.100', '127.0'),
        fc.nat(255),
        fc.nat(255),
      )
      .map(([prefix, a, b]) => `${prefix}.${a}.${b}`);
    fc.assert(
      fc.property(inside, notation, (address, write) => {
        expect(reachOf(write(address))).not.toBe('public');
      }),
    );
  });
});

/** The notations of an IPv4 address that lead to it, each in several spellings of IPv6. */
const notation: fc.Arbitrary<(address: string) => string> = fc
  .record({
    prefix: fc.constantFrom('', '::ffff:', '64:ff9b::', '::', '2002:', '2001:0:', '::ffff:0:'),
    isHex: fc.boolean(),
    isLong: fc.boolean(),
    isUpper: fc.boolean(),
  })
  .map(({ prefix, isHex, isLong, isUpper }) => (address) => {
    if (prefix === '') return address;
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    // Tunnels have the address in the middle.
    if (prefix.startsWith('200')) return `${prefix}${hex}::${isLong ? 'beef' : '1'}`;
    const short = `${prefix}${isHex ? hex : address}`;
    const written = isLong && prefix === '::ffff:' ? `0:0:0:0:0:ffff:${hex}` : short;
    return isUpper ? written.toUpperCase() : written;
  });
