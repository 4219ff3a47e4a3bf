import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toSpans } from '../../../lib/domain/planning/batches.ts';

const risingPositions = fc
  .uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 200 })
  .map((indexes) => indexes.toSorted((a, b) => a - b));

describe('toSpans', () => {
  test.each<[indexes: number[], size: number, spans: [number, number][]]>([
    [[], 10, []],
    [[4], 10, [[4, 5]]],
    [[0, 1, 2], 10, [[0, 3]]],
    [[1, 7, 300], 10, [[1, 301]]],
    [
      [0, 2, 4, 6, 8],
      2,
      [
        [0, 3],
        [4, 7],
        [8, 9],
      ],
    ],
  ])('%j, at most %i each', (indexes, size, spans) => {
    expect(toSpans(indexes, size)).toEqual(spans.map(([from, to]) => ({ from, to })));
  });

  test('as few as can be, in order, and each position is in exactly one of them', () => {
    fc.assert(
      fc.property(risingPositions, fc.integer({ min: 1, max: 20 }), (indexes, size) => {
        const spans = toSpans(indexes, size);
        const held = spans.map(({ from, to }) => indexes.filter((at) => from <= at && at < to));
        expect(held.flat()).toEqual(indexes);
        for (const group of held) expect(group.length).toBeLessThanOrEqual(size);
        expect(spans.length).toBe(Math.ceil(indexes.length / size));
        spans.forEach(({ from }, index) => {
          expect(from).toBeGreaterThanOrEqual(spans[index - 1]?.to ?? 0);
        });
      }),
    );
  });
});
