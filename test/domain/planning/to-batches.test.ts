import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toBatches } from '../../../lib/domain/planning/batches.ts';
import type { PlanRange } from '../../../lib/domain/rollout/plan.ts';

const NO_LIMIT = 1000;

const risingPositions = fc
  .uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 200 })
  .map((indexes) => indexes.toSorted((a, b) => a - b));

describe('toBatches', () => {
  test.each<[indexes: number[], size: number, batches: [number, number][]]>([
    [[], 10, []],
    [[4], 10, [[4, 5]]],
    [
      [0, 1, 2, 3, 4],
      2,
      [
        [0, 2],
        [2, 4],
        [4, 5],
      ],
    ],
    [
      [0, 1, 3, 4],
      10,
      [
        [0, 2],
        [3, 5],
      ],
    ],
    [
      [1, 3, 5],
      10,
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    ],
  ])('%j, at most %i each', (indexes, size, batches) => {
    expect(toBatches(indexes, size, NO_LIMIT)).toEqual(batches.map(([from, to]) => ({ from, to })));
  });

  test('holds every position exactly once, rising, and no batch is too large', () => {
    fc.assert(
      fc.property(risingPositions, fc.integer({ min: 1, max: 20 }), (indexes, size) => {
        const batches = toBatches(indexes, size, NO_LIMIT);
        expect(batches.flatMap(positionsOf)).toEqual(indexes);
        for (const batch of batches) expect(positionsOf(batch).length).toBeLessThanOrEqual(size);
      }),
    );
  });

  test('beyond the limit it hands out the first ones and nothing else', () => {
    fc.assert(
      fc.property(
        risingPositions,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 5 }),
        (indexes, size, limit) => {
          const batches = toBatches(indexes, size, limit);
          const handedOut = batches.flatMap(positionsOf);
          expect(batches.length).toBeLessThanOrEqual(limit);
          expect(handedOut).toEqual(indexes.slice(0, handedOut.length));
        },
      ),
    );
  });
});

function positionsOf({ from, to }: PlanRange): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
