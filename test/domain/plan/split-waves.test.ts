import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { splitWaves } from '../../../lib/domain/plan/split-waves.ts';
import { endpointsOf } from '../../../lib/domain/plan/wave-size.ts';
import type { WaveSize } from '../../../lib/domain/policy.ts';
import { waveSizes } from '../arbitraries.ts';

const SAFE: WaveSize[] = [{ endpoints: 1 }, { percent: 25 }, { percent: 100 }];

describe('splitWaves', () => {
  test.each<[total: number, sizes: WaveSize[], waves: [number, number][]]>([
    [
      12,
      SAFE,
      [
        [0, 1],
        [1, 3],
        [3, 12],
      ],
    ],
    [
      5,
      SAFE,
      [
        [0, 1],
        [1, 5],
      ],
    ],
    [1, SAFE, [[0, 1]]],
    [0, SAFE, []],
    [4, [{ percent: 100 }], [[0, 4]]],
    [3, [{ endpoints: 10 }, { percent: 100 }], [[0, 3]]],
    [
      4,
      [{ endpoints: 1 }, { endpoints: 2 }],
      [
        [0, 1],
        [1, 4],
      ],
    ],
    [
      100,
      [{ endpoints: 50 }, { percent: 25 }, { percent: 100 }],
      [
        [0, 50],
        [50, 100],
      ],
    ],
  ])('%i endpoints in %j', (total, sizes, waves) => {
    expect(splitWaves(total, sizes)).toEqual(waves.map(([from, to]) => ({ from, to })));
  });

  test('covers every endpoint exactly once and in order, in waves that are not empty', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2000 }), waveSizes, (total, sizes) => {
        const waves = splitWaves(total, sizes);
        let next = 0;
        for (const { from, to } of waves) {
          expect(from).toBe(next);
          expect(to).toBeGreaterThan(from);
          next = to;
        }
        expect(next).toBe(total);
      }),
    );
  });

  test('no wave goes beyond the size it was given, the first one least of all', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), waveSizes, (total, sizes) => {
        const ends = sizes.map((size) => endpointsOf(size, total));
        const waves = splitWaves(total, sizes);
        expect(waves[0]?.to).toBeLessThanOrEqual(ends[0] ?? 0);
        expect(waves.length).toBeLessThanOrEqual(sizes.length);
        for (const { to } of waves) expect(ends).toContain(to);
      }),
    );
  });
});
