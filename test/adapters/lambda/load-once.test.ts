import { expect, test } from '@jest/globals';
import { loadOnce } from '../../../lib/adapters/lambda/record-context.ts';

test('loads once, for callers at once and for later ones', async () => {
  let loads = 0;
  const get = loadOnce(async () => {
    loads += 1;
    return { loads };
  });

  const [first, second] = await Promise.all([get(), get()]);

  expect(second).toBe(first);
  expect(await get()).toBe(first);
  expect(loads).toBe(1);
});

test('what failed is tried again by the next call, and its error is the one that was thrown', async () => {
  const failure = new Error('not there');
  let loads = 0;
  const get = loadOnce(async () => {
    loads += 1;
    if (loads === 1) throw failure;
    return 'there';
  });

  await expect(get()).rejects.toBe(failure);
  expect(await get()).toBe('there');
});
