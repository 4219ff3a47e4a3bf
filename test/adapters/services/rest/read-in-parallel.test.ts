import { expect, test } from '@jest/globals';
import { readInParallel } from '../../../../lib/adapters/services/rest/pages.ts';

const afterATurn = () => new Promise((resolve) => setImmediate(resolve));

test('answers in order, whatever comes first', async () => {
  const numbers = await readInParallel(2, 6, 3, async (index) => {
    for (let turn = index; turn < 6; turn += 1) {
      await afterATurn();
    }
    return index;
  });
  expect(numbers).toEqual([2, 3, 4, 5, 6]);
});

test('reads nothing where there is nothing to read', async () => {
  expect(await readInParallel(2, 1, 8, async (index) => index)).toEqual([]);
});

test('the first failure aborts what is being read, and nothing more is begun', async () => {
  const begun: number[] = [];
  const aborted: number[] = [];
  const reading = readInParallel(1, 100, 4, async (index, signal) => {
    begun.push(index);
    signal.addEventListener('abort', () => aborted.push(index));
    await afterATurn();
    if (index === 2) {
      throw new Error('no page 2');
    }
    await afterATurn();
    return index;
  });
  await expect(reading).rejects.toThrow('no page 2');
  for (let turn = 0; turn < 5; turn += 1) {
    await afterATurn();
  }
  expect(begun).toEqual([1, 2, 3, 4]);
  expect(aborted).toEqual([1, 2, 3, 4]);
});

test('a caller that gives up gets its reason and never a part of the pages', async () => {
  const caller = new AbortController();
  const reading = readInParallel(
    1,
    100,
    4,
    async (index) => {
      await afterATurn();
      caller.abort(new Error('enough'));
      return index;
    },
    caller.signal,
  );
  await expect(reading).rejects.toThrow('enough');
});
