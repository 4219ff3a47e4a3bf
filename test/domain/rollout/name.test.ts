import { describe, expect, test } from '@jest/globals';
import {
  abbreviateIds,
  idsMeant,
  isWholeId,
  nameRollout,
} from '../../../lib/domain/rollout/name.ts';

const HASH = '0123456789abcdef0123456789abcdef';

describe('the id of a rollout', () => {
  test.each<[string, Parameters<typeof nameRollout>[0], string]>([
    ['its runtime, its version and a hash', { runtimeId: 'shop', version: 2 }, 'shop-v2-'],
    ['no version that nobody knows', { runtimeId: 'shop' }, 'shop-'],
    ['no version for the latest one', { runtimeId: 'shop', version: 'latest' }, 'shop-'],
    ['no characters that an execution may not have', { runtimeId: 'group:ä b' }, 'group---b-'],
    ['no hyphen at its beginning', { runtimeId: '--help' }, 'help-'],
    ['a word where nothing is left', { runtimeId: '::' }, 'rollout-'],
    ['40 characters of the runtime', { runtimeId: 'x'.repeat(60) }, `${'x'.repeat(40)}-`],
  ])('has %s', (_, named, beginning) => {
    const id = nameRollout(named, HASH);
    expect(id).toBe(`${beginning}0123456789abcdef0123`);
    expect(isWholeId(id)).toBe(true);
  });

  test('fits into the name of an execution', () => {
    const named = { runtimeId: 'x'.repeat(60), version: Number.MAX_SAFE_INTEGER };
    expect(nameRollout(named, HASH).length).toBeLessThanOrEqual(80);
  });
});

const [ONE, TWO, OTHER] = [
  `shop-v2-3f9a1${'0'.repeat(15)}`,
  `cart-v2-3f9a2${'0'.repeat(15)}`,
  `shop-v3-77${'0'.repeat(18)}`,
] as const;

test('people see as many characters of the hash as tell ids apart, and at least four', () => {
  const ids = [ONE, TWO, OTHER, 'release-1'];
  expect([...abbreviateIds(ids).values()]).toEqual([
    'shop-v2-3f9a1',
    'cart-v2-3f9a2',
    'shop-v3-7700',
    'release-1',
  ]);
  for (const [id, shown] of abbreviateIds(ids)) expect(idsMeant(shown, ids)).toEqual([id]);
  expect(abbreviateIds([ONE, ONE]).get(ONE)).toBe('shop-v2-3f9a');
});

test.each<[string, readonly string[]]>([
  ['3f9a1', [ONE]],
  ['3f9a', [ONE, TWO]],
  ['3f9', []],
  ['shop-v2', [ONE]],
  ['shop-v', [ONE, OTHER]],
  [ONE, [ONE]],
  ['none', []],
])('%s means %j', (text, meant) => {
  expect(idsMeant(text, [ONE, TWO, OTHER])).toEqual(meant);
});
