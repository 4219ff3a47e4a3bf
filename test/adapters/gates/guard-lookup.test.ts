import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { expect, test } from '@jest/globals';
import { guardLookup } from '../../../lib/adapters/gates/guard-lookup.ts';

const REFUSED = [
  '169.254.169.254',
  '169.254.0.1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  'fd00:ec2::254',
  '0.0.0.0',
  '::',
];

test.each(REFUSED)('C06: a name that leads to %s is refused', async (address) => {
  await expect(found(address)).rejects.toMatchObject({
    name: 'InvalidInput',
    message: `endpoint URL: its host leads to ${address}`,
  });
  await expect(found([{ address, family: 4 }])).rejects.toMatchObject({ name: 'InvalidInput' });
});

test('C06: one refused address among others is enough', async () => {
  const addresses = [
    { address: '192.0.2.1', family: 4 },
    { address: '169.254.169.254', family: 4 },
  ];

  await expect(found(addresses)).rejects.toMatchObject({ name: 'InvalidInput' });
});

test.each(['127.0.0.1', '::1', '10.0.0.5', '192.0.2.1', '169.253.255.255', '2001:db8::a9fe'])(
  'a name that leads to %s is left alone',
  async (address) => {
    expect(await found(address)).toBe(address);
    expect(await found([{ address, family: 4 }])).toEqual([{ address, family: 4 }]);
  },
);

test('a name without an address keeps its error', async () => {
  const error = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  const lookup = guardLookup((_host, _options, callback) => callback(error, []));

  await expect(resolve(lookup)).rejects.toBe(error);
});

test('host and options are handed on', async () => {
  const seen: unknown[] = [];
  const lookup = guardLookup((host, options, callback) => {
    seen.push(host, options);
    callback(null, '192.0.2.1', 4);
  });

  await resolve(lookup);

  expect(seen).toEqual(['a.example.com', { all: true }]);
});

function found(answer: string | LookupAddress[]): Promise<unknown> {
  return resolve(guardLookup((_host, _options, callback) => callback(null, answer, 4)));
}

function resolve(lookup: LookupFunction): Promise<unknown> {
  return new Promise((done, fail) => {
    lookup('a.example.com', { all: true }, (error, address) =>
      error === null ? done(address) : fail(error),
    );
  });
}
