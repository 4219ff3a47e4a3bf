import { expect, test } from '@jest/globals';
import { brakeSeconds } from '../../../lib/domain/judge/look-brake.ts';

test.each([
  [0, 0],
  [999, 0],
  [1_000, 60],
  [1_150, 120],
  [1_300, 240],
  [9_999, 21_600],
])('after %i looks the shortest wait is %i s', (looks, seconds) => {
  expect(brakeSeconds(looks)).toBe(seconds);
});

test('two weeks of looks, however often they are wanted, stay within 20,000 events at 9 a look', () => {
  let looks = 0;
  for (let seconds = 0; seconds < 14 * 24 * 3600; seconds += Math.max(1, brakeSeconds(looks))) {
    looks += 1;
  }
  expect(looks * 9).toBeLessThan(20_000);
});
