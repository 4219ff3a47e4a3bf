import { expect, test } from '@jest/globals';
import { interleave, medianRatio } from './interleave.ts';

test('every round begins with another one, and rounds to warm up are not kept', async () => {
  const order: string[] = [];
  const measured = await interleave(['a', 'b'], { rounds: 2, warmUpRounds: 1 }, async (name) =>
    order.push(name),
  );
  expect(order.join('')).toBe('abbaab');
  expect(measured).toEqual({ a: [4, 5], b: [3, 6] });
});

test('a ratio is that of the same round, and a round that was disturbed does not move it', () => {
  const measured = { base: [10, 20, 10], other: [20, 40, 900] };
  expect(medianRatio(measured, 'other', 'base')).toBe(2);
});
