import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  durationSchema,
  waveSizeSchema,
  wavesSchema,
} from '../../../lib/cli/options/policy-shape.ts';
import { checkInput } from '../../../lib/contract/input/parse-input.ts';
import { describeSize } from '../../../lib/domain/planning/waves.ts';
import type { WaveSize } from '../../../lib/domain/rollout/policy.ts';

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

/** Every size that people can write: whole counts, and shares with up to three decimals. */
const size: fc.Arbitrary<WaveSize> = fc.oneof(
  fc.record({ endpoints: fc.nat(999_999_999) }),
  fc.integer({ min: 0, max: 100_000 }).map((thousandths) => ({ percent: thousandths / 1000 })),
);

describe('sizes', () => {
  test.each([
    ['1', { endpoints: 1 }],
    [' 12 ', { endpoints: 12 }],
    ['25%', { percent: 25 }],
    ['99.5%', { percent: 99.5 }],
  ])('%j is %j', (text, expected) => {
    expect(waveSizeSchema.parse(text)).toEqual(expected);
  });

  test('what is written comes back', () => {
    fc.assert(
      fc.property(size, (written) => {
        expect(waveSizeSchema.parse(describeSize(written))).toEqual(written);
      }),
    );
  });

  test('a tolerance may be nothing at all', () => {
    expect(waveSizeSchema.parse('0')).toEqual({ endpoints: 0 });
    expect(waveSizeSchema.parse('0%')).toEqual({ percent: 0 });
    expect(waveSizeSchema.safeParse('none').success).toBe(false);
  });
});

describe('waves', () => {
  test('are counts, percentages and names', () => {
    expect(wavesSchema.parse('1, 25%,name:canary-*,99.5%,100%')).toEqual([
      { endpoints: 1 },
      { percent: 25 },
      { names: ['canary-*'] },
      { percent: 99.5 },
      { percent: 100 },
    ]);
  });

  test('may have a bake of their own', () => {
    expect(wavesSchema.parse('name:canary-*@1h,1@10m,50%@0,100%')).toEqual([
      { names: ['canary-*'], bakeSeconds: 3600 },
      { endpoints: 1, bakeSeconds: 600 },
      { percent: 50, bakeSeconds: 0 },
      { percent: 100 },
    ]);
  });

  test.each([
    '',
    '%',
    '1,,2',
    '-1',
    '1e2',
    '25 %',
    'all',
    'canary-*',
    'Name:canary-*',
    '@1h',
    '1@',
    '1@soon',
    '1@1h@1h',
    'name:canary-*@',
  ])('C03: %j is refused', (text) => {
    expect(wavesSchema.safeParse(text).success).toBe(false);
  });

  test('a mistake shows the wave that is wrong, and what is allowed', () => {
    expect(checkInput(wavesSchema, '1,2@soon,all')).toEqual({
      mistakes: [
        expect.objectContaining({ text: expect.stringMatching(/^\[1\]: "2@soon" .*1@1h$/) }),
        expect.objectContaining({ text: expect.stringMatching(/^\[2\]: "all" .*1@1h$/) }),
      ],
    });
  });

  test('what is written comes back, with its bake', () => {
    const name = fc.stringMatching(/^[a-z0-9*][a-z0-9.*-]{0,20}$/);
    const what = fc.oneof(
      size,
      name.map((pattern) => ({ names: [pattern] })),
    );
    const bake = fc.option(fc.nat(999_999_999), { nil: undefined });
    const waves = fc.array(fc.tuple(what, bake), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(waves, (written) => {
        const text = written.map(([one, seconds]) =>
          seconds === undefined ? describeSize(one) : `${describeSize(one)}@${seconds}s`,
        );
        expect(wavesSchema.parse(text.join(','))).toEqual(
          written.map(([one, seconds]) =>
            seconds === undefined ? one : { ...one, bakeSeconds: seconds },
          ),
        );
      }),
    );
  });
});
