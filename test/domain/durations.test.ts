import { expect, test } from '@jest/globals';
import { describeDuration } from '../../lib/domain/durations.ts';

const HOUR_MS = 3_600_000;

test.each([
  [0, '0 s'],
  [8_400, '8 s'],
  [59_499, '59 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [4_320_000, '1 h 12 min'],
  [24 * HOUR_MS, '24 h'],
  [25 * HOUR_MS, '1 day 1 h'],
  [48 * HOUR_MS, '2 days'],
  [168 * HOUR_MS - 60_000, '6 days 23 h'],
])('%i ms is %s', (milliseconds, text) => {
  expect(describeDuration(milliseconds)).toBe(text);
});
