import { expect, test } from '@jest/globals';
import { createTokenCache } from '../../../lib/adapters/credentials/mint-token.ts';
import { createTestClock } from '../http/test-clock.ts';

const USABLE = Number.POSITIVE_INFINITY;

test('while a token is renewed, nobody is given the one that was refused', async () => {
  let fetched = 0;
  const cache = createTokenCache(async () => {
    fetched += 1;
    return { value: `token-${fetched}`, usableUntil: USABLE };
  }, createTestClock());
  const refused = await cache.token();
  const tokens = await Promise.all([cache.renew(refused), cache.token(), cache.renew(refused)]);
  expect(tokens).toEqual(['token-2', 'token-2', 'token-2']);
  expect(await cache.renew(refused)).toBe('token-2');
  expect(fetched).toBe(2);
});

test('a failure is not kept', async () => {
  let fetched = 0;
  const cache = createTokenCache(async () => {
    fetched += 1;
    if (fetched === 1) {
      throw new Error('not now');
    }
    return { value: 'token', usableUntil: USABLE };
  }, createTestClock());
  await expect(cache.token()).rejects.toThrow('not now');
  expect(await cache.token()).toBe('token');
});
