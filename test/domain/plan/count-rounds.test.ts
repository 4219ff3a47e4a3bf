import { expect, test } from '@jest/globals';
import { countRounds } from '../../../lib/domain/plan/count-rounds.ts';
import { planOf } from '../examples.ts';

test.each([
  [[], 1, 0],
  [[1], 1, 1],
  [[1, 2, 8], 3, 5],
  [[1, 24, 75], 33, 5],
  [[4], 4, 1],
])('waves of %p with at most %i in mid-roll are %i rounds', (sizes, maxUnavailable, rounds) => {
  expect(countRounds(planOf(sizes, { maxUnavailable }))).toBe(rounds);
});
