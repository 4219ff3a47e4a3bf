import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeSize, endpointsOf } from '../../../lib/domain/planning/waves.ts';
import type { WaveSize } from '../../../lib/domain/rollout/policy.ts';
import { waveSize } from '../arbitraries.ts';

describe('endpointsOf', () => {
  test.each<[size: WaveSize, total: number, endpoints: number]>([
    [{ endpoints: 1 }, 5, 1],
    [{ endpoints: 5 }, 5, 5],
    [{ endpoints: 6 }, 5, 5],
    [{ percent: 1 }, 5, 1],
    [{ percent: 25 }, 12, 3],
    [{ percent: 33 }, 12, 3],
    [{ percent: 33 }, 2, 1],
    [{ percent: 99.9 }, 10, 9],
    [{ percent: 100 }, 10, 10],
    // Binary fractions make a little less than 69 and 29 of these.
    [{ percent: 2.3 }, 3000, 69],
    [{ percent: 0.29 }, 10_000, 29],
    [{ percent: 2.3 }, 2999, 68],
    [{ percent: 0.01 }, 10_000, 1],
    [{ percent: 100 }, 0, 0],
    [{ endpoints: 1 }, 0, 0],
  ])('C02: %j of %i is %i', (size, total, endpoints) => {
    expect(endpointsOf(size, total)).toBe(endpoints);
  });

  test('C02: is a whole number, at least 1 and never more than there are', () => {
    fc.assert(
      fc.property(waveSize, fc.integer({ min: 1, max: 10_000 }), (size, total) => {
        const endpoints = endpointsOf(size, total);
        expect(Number.isInteger(endpoints)).toBe(true);
        expect(endpoints).toBeGreaterThanOrEqual(1);
        expect(endpoints).toBeLessThanOrEqual(total);
      }),
    );
  });
});

test('a size is shown as people write it', () => {
  expect(describeSize({ endpoints: 1 })).toBe('1');
  expect(describeSize({ percent: 12.5 })).toBe('12.5%');
  expect(describeSize({ names: ['canary-*', 'web-1'] })).toBe('name:canary-*+name:web-1');
});
