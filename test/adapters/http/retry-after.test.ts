import { expect, test } from '@jest/globals';
import { parseRetryAfter } from '../../../lib/adapters/http/retry-after.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const SERVER_NOW = 'Thu, 01 Jan 2026 10:00:00 GMT';

test.each([
  ['7', undefined, 7_000],
  [' 7 ', undefined, 7_000],
  ['0', undefined, 0],
  ['999999', undefined, 300_000],
  ['-1', undefined, null],
  ['1.5', undefined, null],
  ['1e3', undefined, null],
  ['soon', undefined, null],
  ['', undefined, null],
  [undefined, undefined, null],
  ['Thu, 01 Jan 2026 10:00:09 GMT', SERVER_NOW, 9_000],
  ['Thu, 01 Jan 2026 09:59:00 GMT', SERVER_NOW, 0],
  ['Fri, 02 Jan 2026 10:00:00 GMT', SERVER_NOW, 300_000],
  ['Thu, 01 Jan 2026 12:00:05 GMT', undefined, 5_000],
  ['Thu, 01 Jan 2026 12:00:05 GMT', 'yesterday', 5_000],
  ['Thu, 99 Jan 2026 12:00:05 GMT', SERVER_NOW, null],
])('H15: Retry-After %j with Date %j asks for %j ms', (retryAfter, date, milliseconds) => {
  expect(parseRetryAfter(retryAfter, date, NOW)).toBe(milliseconds);
});
