import { expect, test } from '@jest/globals';
import { describeAge } from '../../../lib/telling/text.ts';

const NOON = Date.UTC(2026, 10, 21, 12);

test.each([
  [0, '0 s ago'],
  [59.4, '59 s ago'],
  [60, '1 min ago'],
  [3599, '59 min ago'],
  [3600, '1 h ago'],
  [86_399, '23 h ago'],
  [86_400, '2026-11-20 UTC'],
  // A clock of another machine may be ahead.
  [-5, '0 s ago'],
])('what was %d s before is %s', (seconds, text) => {
  expect(describeAge(NOON - seconds * 1000, NOON)).toBe(text);
});
