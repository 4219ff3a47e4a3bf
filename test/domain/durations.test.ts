import { expect, test } from '@jest/globals';
import { describeDuration } from '../../lib/domain/durations.ts';

test.each([
  [0, '0 s'],
  [8_400, '8 s'],
  [59_499, '59 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [4_320_000, '1 h 12 min'],
])('%i ms is %s', (milliseconds, text) => {
  expect(describeDuration(milliseconds)).toBe(text);
});
