import { expect, test } from '@jest/globals';
import { describeWhere, fits } from '../../../lib/domain/endpoint/attributes.ts';

const attributes = { tier: 'pro', region: 'eu-1' };

test.each([
  [{ tier: 'pro' }, 'yes'],
  [{ tier: ['free', 'pro'] }, 'yes'],
  [{ tier: 'pro', region: 'eu-*' }, 'yes'],
  [{ tier: 'PRO' }, 'no'],
  [{ tier: 'pro', region: 'us-*' }, 'no'],
  [{ cell: '1' }, 'unknown'],
  [{ tier: 'pro', cell: '1' }, 'unknown'],
  [{ tier: 'free', cell: '1' }, 'no'],
  [{ constructor: '*' }, 'unknown'],
] as const)('%j: %s', (where, expected) => {
  expect(fits({ attributes }, where)).toBe(expected);
});

test('is said in one line', () => {
  expect(describeWhere({ tier: ['free', 'pro'], region: 'eu-*' })).toBe(
    'tier=free|pro, region=eu-*',
  );
});
