import { expect, test } from '@jest/globals';
import { newestDue } from '../../lib/listener/schedules.ts';

const at = (text: string) => Date.parse(text);

test.each([
  ['0 * * * ? *', '2026-01-01T03:00:00Z', '2026-01-01T03:00:00Z', '2026-01-01T03:00:00Z'],
  ['0 * * * ? *', '2026-01-01T03:00:00Z', '2026-01-01T11:05:00Z', '2026-01-01T11:00:00Z'],
  ['0 * * * ? *', '2026-01-01T03:00:00Z', '2027-01-01T11:05:00Z', '2027-01-01T11:00:00Z'],
  ['0 3 ? * MON *', '2026-01-05T03:00:00Z', '2026-01-10T12:00:00Z', '2026-01-05T03:00:00Z'],
])('of %s, due from %s on, at %s it is that of %s', (cron, due, now, newest) => {
  const schedule = { name: 'hourly', runtimeId: 'shop', version: 7, cron };
  expect(newestDue(schedule, at(due), at(now), 0)).toBe(at(newest));
});
