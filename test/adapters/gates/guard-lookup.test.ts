import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { expect, test } from '@jest/globals';
import { guardLookup } from '../../../lib/adapters/gates/probe.ts';

const OUTSIDE = { privateNetwork: false };
const INSIDE = { privateNetwork: true };

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
  '::ffff:100.100.100.200',
  '64:ff9b::6464:64c8',
  '2002:a9fe:a9fe::1',
  '2001:0:a9fe:a9fe::1',
  'fd20:ce::254',
  '168.63.129.16',
];
const PRIVATE = ['10.0.0.5', '100.64.0.1', '192.0.2.1', 'fd12::1', '::ffff:192.168.1.1'];
const LOOPBACK = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];

test.each(REFUSED)('C06: a name that leads to %s is refused', async (address) => {
  await expect(found(address)).rejects.toMatchObject({
    name: 'InvalidInput',
    message: `endpoint URL: its host leads to ${address}`,
  });
  await expect(found([{ address, family: 4 }])).rejects.toMatchObject({ name: 'InvalidInput' });
});

test('C06: one refused address among others is enough', async () => {
  const addresses = [
    { address: '1.1.1.1', family: 4 },
    { address: '169.254.169.254', family: 4 },
  ];

  await expect(found(addresses)).rejects.toMatchObject({ name: 'InvalidInput' });
});

test.each([...PRIVATE, ...LOOPBACK])(
  'C06: a name that leads to %s is refused, unless the probe may go into private networks',
  async (address) => {
    await expect(found(address)).rejects.toMatchObject({
      name: 'InvalidInput',
      message: `endpoint URL: its host leads to ${address}, which needs verify.probe.privateNetwork`,
    });
    expect(await found(address, INSIDE)).toBe(address);
  },
);

test.each(REFUSED)('C06: %s is refused in a private network too', async (address) => {
  await expect(found(address, INSIDE)).rejects.toMatchObject({ name: 'InvalidInput' });
});

test.each(LOOPBACK)('a name of this machine may lead to %s', async (address) => {
  const lookup = guardLookup((_host, _options, callback) => callback(null, address, 4), OUTSIDE);
  expect(await resolve(lookup, 'localhost')).toBe(address);
  await expect(resolve(lookup, 'notlocalhost')).rejects.toMatchObject({ name: 'InvalidInput' });
});

test('C06: nobody is asked where a name below .localhost leads', async () => {
  const lookup = guardLookup(() => {
    throw new Error('somebody was asked');
  }, OUTSIDE);
  const thisMachine = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  expect(await resolve(lookup, 'web.localhost')).toEqual(thisMachine);
  expect(await resolve(lookup, 'WEB.Localhost')).toEqual(thisMachine);
});

test.each(['1.1.1.1', '169.253.255.255', '2a00::a9fe', '64:ff9b::1.1.1.1'])(
  'a name that leads to %s is left alone',
  async (address) => {
    expect(await found(address)).toBe(address);
    expect(await found([{ address, family: 4 }])).toEqual([{ address, family: 4 }]);
  },
);

test('a name without an address keeps its error', async () => {
  const error = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  const lookup = guardLookup((_host, _options, callback) => callback(error, []), OUTSIDE);

  await expect(resolve(lookup)).rejects.toBe(error);
});

test('host and options are handed on', async () => {
  const seen: unknown[] = [];
  const lookup = guardLookup((host, options, callback) => {
    seen.push(host, options);
    callback(null, '1.1.1.1', 4);
  }, OUTSIDE);

  await resolve(lookup);

  expect(seen).toEqual(['a.example.com', { all: true }]);
});

function found(answer: string | LookupAddress[], probe = OUTSIDE): Promise<unknown> {
  return resolve(guardLookup((_host, _options, callback) => callback(null, answer, 4), probe));
}

function resolve(lookup: LookupFunction, name = 'a.example.com'): Promise<unknown> {
  return new Promise((done, fail) => {
    lookup(name, { all: true }, (error, address) => (error === null ? done(address) : fail(error)));
  });
}
