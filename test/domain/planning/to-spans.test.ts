import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toSpans } from '../../../lib/domain/planning/batches.ts';

const risingPositions = fc
  .uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 200 })
  .map((positions) => positions.toSorted((a, b) => a - b));

describe('toSpans', () => {
  test.each<[positions: number[], size: number, spans: [number, number][]]>([
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
  ])('%j, at most %i each', (positions, size, spans) => {
    expect(toSpans(positions, size)).toEqual(spans.map(([from, to]) => ({ from, to })));
  });

  test('as few as can be, in order, and each position is in exactly one of them', () => {
    fc.assert(
      fc.property(risingPositions, fc.integer({ min: 1, max: 20 }), (positions, size) => {
        const spans = toSpans(positions, size);
        const held = spans.map(({ from, to }) => positions.filter((at) => from <= at && at < to));
        expect(held.flat()).toEqual(positions);
        for (const group of held) expect(group.length).toBeLessThanOrEqual(size);
        expect(spans.length).toBe(Math.ceil(positions.length / size));
        spans.forEach(({ from }, index) => {
          expect(from).toBeGreaterThanOrEqual(spans[index - 1]?.to ?? 0);
        });
      }),
    );
  });
});
