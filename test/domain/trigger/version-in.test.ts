import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { versionIn } from '../../../lib/domain/trigger/release.ts';

test.each<[unknown, number]>([
  [7, 7],
  ['7', 7],
  ['v7', 7],
  ['v1024', 1024],
  [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
])('%j is %d', (value, version) => {
  expect(versionIn(value)).toBe(version);
});

test.each<unknown>([
  0,
  -1,
  1.5,
  2 ** 53,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  '0',
  'v',
  'v0',
  '007',
  'V7',
  'vv7',
  '7 ',
  ' 7',
  '7\n',
  '+7',
  '7.0',
  '7e2',
  '0x7',
  '１',
  'latest',
  '1.2.3',
  '9007199254740993',
  '99999999999999999999',
  null,
  undefined,
  true,
  [7],
  { version: 7 },
])('%p is none', (value) => {
  expect(versionIn(value)).toBeNull();
});

test('whatever comes, it is a version or none, and the same as text and as a number', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const version = versionIn(value);
      if (version === null) return;
      expect(Number.isSafeInteger(version) && version >= 1).toBe(true);
      expect([versionIn(version), versionIn(`v${version}`)]).toEqual([version, version]);
    }),
  );
});
