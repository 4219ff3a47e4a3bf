import { describe, expect, test } from '@jest/globals';
import type { RolloutSchedule } from '../../lib/contract/config/schedules.ts';
import { nextTime } from '../../lib/listener/next-time.ts';

const schedule = (when: Partial<RolloutSchedule>): RolloutSchedule => ({
  name: 'nightly',
  runtimeId: 'shop',
  version: 7,
  ...when,
});

/** The next times after one, as `2026-03-28T02:30` in UTC. */
function timesOf(when: Partial<RolloutSchedule>, after: string, count: number): string[] {
  const times: string[] = [];
  const startedAt = Date.parse(after);
  let time: number | null = startedAt;
  while (times.length < count) {
    time = nextTime(schedule(when), time, startedAt);
    if (time === null) break;
    times.push(new Date(time).toISOString().slice(0, 16));
  }
  return times;
}

describe('cron, as EventBridge writes it', () => {
  // 2026-01-01 is a Thursday.
  test.each([
    ['0 3 * * ? *', ['2026-01-01T03:00', '2026-01-02T03:00']],
    ['0/20 3 1 * ? *', ['2026-01-01T03:00', '2026-01-01T03:20', '2026-01-01T03:40']],
    ['5/20 3 1 1 ? *', ['2026-01-01T03:05', '2026-01-01T03:25', '2026-01-01T03:45']],
    ['0 3 ? * 1 *', ['2026-01-04T03:00', '2026-01-11T03:00']],
    ['0 3 ? * MON-FRI *', ['2026-01-01T03:00', '2026-01-02T03:00', '2026-01-05T03:00']],
    ['0 3 ? * SAT,SUN *', ['2026-01-03T03:00', '2026-01-04T03:00', '2026-01-10T03:00']],
    ['0 3 ? * L *', ['2026-01-03T03:00', '2026-01-10T03:00']],
    ['0 3 ? * 6L *', ['2026-01-30T03:00', '2026-02-27T03:00']],
    ['0 3 ? * TUE#2 *', ['2026-01-13T03:00', '2026-02-10T03:00']],
    ['0 3 L * ? *', ['2026-01-31T03:00', '2026-02-28T03:00']],
    ['0 3 15W * ? *', ['2026-01-15T03:00', '2026-02-16T03:00']],
    ['0 3 1 JAN/6 ? *', ['2026-01-01T03:00', '2026-07-01T03:00', '2027-01-01T03:00']],
    ['0 3 1 1 ? 2027/2', ['2027-01-01T03:00', '2029-01-01T03:00']],
    ['0 3 1 1 ? */25', ['2045-01-01T03:00', '2070-01-01T03:00']],
    ['0 3 29 2 ? *', ['2028-02-29T03:00', '2032-02-29T03:00']],
  ])('%s', (cron, times) => {
    expect(timesOf({ cron }, '2026-01-01T00:00:00Z', times.length)).toEqual(times);
  });

  test.each(['0 3 30 2 ? *', '0 3 1 1 ? 1999'])('%s never comes', (cron) => {
    expect(timesOf({ cron }, '2026-01-01T00:00:00Z', 1)).toEqual([]);
  });
});

describe('E09: in the nights in which the clocks of Berlin are changed', () => {
  const timeZone = 'Europe/Berlin';

  test('a time that is skipped in spring does not happen that day', () => {
    expect(timesOf({ cron: '30 2 * * ? *', timeZone }, '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-30T00:30',
      '2026-03-31T00:30',
    ]);
  });

  test('of an hourly one, the skipped hour alone does not happen', () => {
    expect(timesOf({ cron: '30 * * * ? *', timeZone }, '2026-03-28T23:00:00Z', 4)).toEqual([
      '2026-03-28T23:30',
      '2026-03-29T00:30',
      '2026-03-29T01:30',
      '2026-03-29T02:30',
    ]);
  });

  test('a time that comes twice in autumn happens once', () => {
    expect(timesOf({ cron: '30 2 * * ? *', timeZone }, '2026-10-24T12:00:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
      '2026-10-27T01:30',
    ]);
  });

  test('of an hourly one, the hour that comes twice happens once', () => {
    expect(timesOf({ cron: '30 * * * ? *', timeZone }, '2026-10-24T23:00:00Z', 4)).toEqual([
      '2026-10-24T23:30',
      '2026-10-25T00:30',
      '2026-10-25T02:30',
      '2026-10-25T03:30',
    ]);
  });

  test('between the two hours that show the same, the first one counts', () => {
    const after = '2026-10-25T01:10:00Z';
    expect(timesOf({ cron: '30 2 * * ? *', timeZone }, after, 1)).toEqual(['2026-10-26T01:30']);
  });
});

describe('a single time', () => {
  const at = '2026-12-01T09:00:00';

  test('is in the zone of the schedule, UTC without one, and comes once', () => {
    expect(timesOf({ at }, '2026-01-01T00:00:00Z', 2)).toEqual(['2026-12-01T09:00']);
    expect(timesOf({ at, timeZone: 'Europe/Berlin' }, '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-12-01T08:00',
    ]);
  });

  test.each([
    ['E09: that the clocks skip', '2026-03-29T02:30:00'],
    ['that is over', '2025-12-01T09:00:00'],
  ])('%s never comes', (_, past) => {
    const when = { at: past, timeZone: 'Europe/Berlin' };
    expect(timesOf(when, '2026-01-01T00:00:00Z', 1)).toEqual([]);
  });
});

describe('a rate', () => {
  test.each([
    ['1 minute', '2026-01-01T00:00:30Z', ['2026-01-01T00:01', '2026-01-01T00:02']],
    ['5 minutes', '2026-01-01T00:03:00Z', ['2026-01-01T00:08', '2026-01-01T00:13']],
    ['2 hours', '2026-01-01T00:03:00Z', ['2026-01-01T02:03', '2026-01-01T04:03']],
    ['1 day', '2026-03-28T12:00:00Z', ['2026-03-29T12:00', '2026-03-30T12:00']],
  ])('of %s counts from the start', (rate, start, times) => {
    expect(timesOf({ rate }, start, times.length)).toEqual(times);
  });

  test('keeps its step, however late it is looked at', () => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    const next = nextTime(schedule({ rate: '1 hour' }), start + 3.5 * 3_600_000, start);
    expect(next).toBe(start + 4 * 3_600_000);
  });
});
