import { expect, test } from '@jest/globals';
import {
  clockTime,
  dateMinute,
  dateTime,
  localTimeIn,
  weekdayOf,
} from '../../lib/domain/local-time.ts';
import { utc } from './turn/examples.ts';

test.each([
  ['UTC', '2026-11-23T00:00', '2026-11-23T00:00'],
  ['UTC', '2026-12-31T23:59', '2026-12-31T23:59'],
  ['Europe/Berlin', '2026-12-31T23:00', '2027-01-01T00:00'],
  ['Europe/Berlin', '2026-03-29T00:59', '2026-03-29T01:59'],
  ['Europe/Berlin', '2026-03-29T01:00', '2026-03-29T03:00'],
  ['Europe/Berlin', '2026-10-25T00:30', '2026-10-25T02:30'],
  ['Europe/Berlin', '2026-10-25T01:30', '2026-10-25T02:30'],
  ['Asia/Kathmandu', '2026-11-23T00:00', '2026-11-23T05:45'],
  ['Australia/Lord_Howe', '2026-10-03T15:15', '2026-10-04T01:45'],
  ['Australia/Lord_Howe', '2026-10-03T15:30', '2026-10-04T02:30'],
  ['Pacific/Chatham', '2026-11-23T12:00', '2026-11-24T01:45'],
  ['America/Santiago', '2026-11-23T00:00', '2026-11-22T21:00'],
])('the clocks of %s show at %s UTC: %s', (timeZone, at, local) => {
  expect(localTimeIn(timeZone, utc(at))).toBe(local);
});

test.each([
  ['2026-11-23T00:00', 0, 'mon'],
  ['2026-11-28T23:45', 0, 'sat'],
  ['2026-11-29T23:45', 0, 'sun'],
  ['2026-11-23T00:00', 1, 'sun'],
  ['2026-03-01T03:00', 1, 'sat'],
])('the weekday of %s, %i days before, is %s', (local, daysBefore, weekday) => {
  expect(weekdayOf(local, daysBefore)).toBe(weekday);
});

test('people read an instant in UTC', () => {
  const at = utc('2026-12-31T23:59') + 7_999;
  expect(clockTime(at)).toBe('23:59:07Z');
  expect(dateTime(at)).toBe('2026-12-31 23:59:07Z');
  expect(dateMinute(at)).toBe('2026-12-31 23:59Z');
});
