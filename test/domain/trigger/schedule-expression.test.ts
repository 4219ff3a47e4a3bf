import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { faultOfRate, faultOfTime } from '../../../lib/domain/trigger/schedule-syntax.ts';

test.each(['1 minute', '5 minutes', '1 hour', '2 hours', '1 day', '99999 days'])(
  'the rate "%s" is accepted',
  (text) => {
    expect(faultOfRate(text)).toBeNull();
  },
);

test.each([
  '',
  '1',
  '1 minutes',
  '5 minute',
  '0 minutes',
  '01 hour',
  '-1 hours',
  '1.5 hours',
  '30 seconds',
  '1 week',
  '1  day',
  '1 day ',
  'rate(1 day)',
  '1e2 days',
])('the rate "%s" is refused', (text) => {
  expect(faultOfRate(text)).toMatch(/^use a number and a unit/);
});

test.each(['2026-12-01T03:00:00', '2028-02-29T23:59:59'])('the time %s is accepted', (text) => {
  expect(faultOfTime(text)).toBeNull();
});

test.each([
  '',
  '2026-12-01',
  '2026-12-01T03:00',
  '2026-12-01T03:00:00Z',
  '2026-12-01T03:00:00+01:00',
  '2026-12-01T03:00:00.000',
  '2026-02-30T03:00:00',
  '2027-02-29T03:00:00',
  '2026-13-01T03:00:00',
  '2026-12-01T24:00:00',
  'at(2026-12-01T03:00:00)',
])('the time "%s" is refused', (text) => {
  expect(faultOfTime(text)).toMatch(/^use a date and a time without a zone/);
});

test('every second of four digits of years is a time', () => {
  const max = new Date('9999-12-31T23:59:59Z');
  const date = fc.date({ min: new Date('1970-01-01T00:00:00Z'), max, noInvalidDate: true });
  fc.assert(
    fc.property(date, (one) => {
      expect(faultOfTime(one.toISOString().slice(0, 19))).toBeNull();
    }),
  );
});
