import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { durationSchema } from '../../lib/contract/duration.ts';
import { waveSizeSchema, waveSizesSchema } from '../../lib/contract/wave-sizes.ts';

describe('durations', () => {
  test.each([
    ['0', 0],
    ['30', 30],
    ['30s', 30],
    ['5m', 300],
    ['12h', 43_200],
    ['1d', 86_400],
  ])('%s is %i s', (text, seconds) => {
    expect(durationSchema.parse(text)).toBe(seconds);
  });

  test.each(['', ' 5', '5 m', '-1', '1.5m', '5w', '1e3', '0x10', '5m5m', '9'.repeat(30)])(
    'C01: %j is refused',
    (text) => {
      expect(durationSchema.safeParse(text).success).toBe(false);
    },
  );

  test('no text makes a duration that is not a whole number of at least 0', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { success, data } = durationSchema.safeParse(text);
        expect(!success || (Number.isSafeInteger(data) && data >= 0)).toBe(true);
      }),
    );
  });
});

describe('wave sizes', () => {
  test('are counts and percentages', () => {
    expect(waveSizesSchema.parse('1, 25%,99.5%,100%')).toEqual([
      { endpoints: 1 },
      { percent: 25 },
      { percent: 99.5 },
      { percent: 100 },
    ]);
  });

  test.each(['', '%', '1,,2', '-1', '1e2', '25 %', 'all'])('C03: %j is refused', (text) => {
    expect(waveSizesSchema.safeParse(text).success).toBe(false);
  });

  test('what is written comes back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999 }), (count) => {
        expect(waveSizeSchema.parse(`${count}`)).toEqual({ endpoints: count });
      }),
    );
  });
});
