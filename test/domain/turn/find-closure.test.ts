import { describe, expect, test } from '@jest/globals';
import type { DeploymentWindow, Freeze } from '../../../lib/domain/rollout/policy.ts';
import { findClosure } from '../../../lib/domain/turn/window.ts';
import { freeze, openWindow, utc } from './examples.ts';

/** Whether a rollout may start at each of these times in UTC. */
function openAt(
  rules: { windows?: readonly DeploymentWindow[]; freezes?: readonly Freeze[] },
  times: readonly string[],
): boolean[] {
  const complete = { windows: [], freezes: [], ...rules };
  return times.map((time) => findClosure(complete, utc(time)) === null);
}

const WORKDAYS = openWindow({ days: ['mon', 'tue', 'wed', 'thu', 'fri'] });
const NIGHT = openWindow({ days: ['fri'], from: '22:00', to: '04:00' });
const BERLIN = { timeZone: 'Europe/Berlin' };
const LORD_HOWE = { timeZone: 'Australia/Lord_Howe' };

describe('windows', () => {
  test('without any, a rollout may start at any time', () => {
    expect(openAt({}, ['2026-11-22T03:17'])).toEqual([true]);
  });

  test.each<[string, DeploymentWindow, string[], string[]]>([
    [
      'is open from its first minute to the last before its end',
      WORKDAYS,
      ['2026-11-23T09:00', '2026-11-23T12:34', '2026-11-27T15:59'],
      ['2026-11-23T08:59', '2026-11-23T16:00'],
    ],
    [
      'is closed on other days',
      WORKDAYS,
      ['2026-11-27T12:00', '2026-11-30T12:00'],
      ['2026-11-28T12:00', '2026-11-29T12:00'],
    ],
    [
      'over midnight belongs to the day on which it opens',
      NIGHT,
      ['2026-11-27T22:00', '2026-11-27T23:59', '2026-11-28T00:00', '2026-11-28T03:59'],
      ['2026-11-27T03:00', '2026-11-27T21:59', '2026-11-28T04:00', '2026-11-28T22:00'],
    ],
    [
      'of Sunday goes into Monday',
      { ...NIGHT, days: ['sun'] },
      ['2026-11-29T22:00', '2026-11-30T03:45'],
      ['2026-11-29T03:45', '2026-11-30T22:00'],
    ],
    [
      'to 24:00 ends with its day',
      openWindow({ days: ['sat'], from: '00:00', to: '24:00' }),
      ['2026-11-28T00:00', '2026-11-28T23:59'],
      ['2026-11-27T23:59', '2026-11-29T00:00'],
    ],
    [
      'to 00:00 ends with its day too',
      openWindow({ days: ['sat'], from: '22:00', to: '00:00' }),
      ['2026-11-28T22:00', '2026-11-28T23:59'],
      ['2026-11-28T00:00', '2026-11-28T21:59', '2026-11-29T00:00'],
    ],
    [
      'follows the clocks of its zone, in winter and in summer',
      openWindow(BERLIN),
      ['2026-11-23T08:00', '2026-11-23T14:59', '2026-07-20T07:00', '2026-07-20T13:59'],
      ['2026-11-23T07:59', '2026-11-23T15:00', '2026-07-20T06:59', '2026-07-20T14:00'],
    ],
    [
      'has the day of its zone',
      openWindow({ days: ['mon'], from: '05:00', to: '06:00', timeZone: 'Pacific/Chatham' }),
      ['2026-11-22T15:15', '2026-11-22T16:14'],
      ['2026-11-22T15:14', '2026-11-22T16:15', '2026-11-23T15:15'],
    ],
    [
      'may be three quarters of an hour off',
      openWindow({ timeZone: 'Asia/Kathmandu' }),
      ['2026-11-23T03:15', '2026-11-23T10:14'],
      ['2026-11-23T03:14', '2026-11-23T10:15'],
    ],
  ])('%s', (_, window, open, closed) => {
    expect(openAt({ windows: [window] }, open)).toEqual(open.map(() => true));
    expect(openAt({ windows: [window] }, closed)).toEqual(closed.map(() => false));
  });

  test('one that is open is enough', () => {
    const windows = [WORKDAYS, NIGHT];
    const times = ['2026-11-23T10:00', '2026-11-28T01:00', '2026-11-28T10:00'];
    expect(openAt({ windows }, times)).toEqual([true, true, false]);
  });
});

describe('the nights in which the clocks are changed', () => {
  test.each<[string, DeploymentWindow, string[], string[]]>([
    [
      'a window in an hour that is skipped does not open',
      openWindow({ ...BERLIN, from: '02:00', to: '03:00' }),
      ['2026-03-28T01:00', '2026-03-30T00:00'],
      ['2026-03-29T00:00', '2026-03-29T00:59', '2026-03-29T01:00', '2026-03-29T02:00'],
    ],
    [
      'a window that begins in an hour that is skipped opens after it',
      openWindow({ ...BERLIN, from: '02:30', to: '04:00' }),
      ['2026-03-29T01:00', '2026-03-29T01:59'],
      ['2026-03-29T00:59', '2026-03-29T02:00'],
    ],
    [
      'a window in an hour that comes twice is open twice as long',
      openWindow({ ...BERLIN, from: '02:00', to: '03:00' }),
      ['2026-10-25T00:00', '2026-10-25T00:59', '2026-10-25T01:00', '2026-10-25T01:59'],
      ['2026-10-24T23:59', '2026-10-25T02:00'],
    ],
    [
      'a window that ends in an hour that comes twice opens once more',
      openWindow({ ...BERLIN, from: '01:00', to: '02:30' }),
      ['2026-10-25T00:29', '2026-10-25T01:00', '2026-10-25T01:29'],
      ['2026-10-25T00:30', '2026-10-25T00:59', '2026-10-25T01:30'],
    ],
    [
      'a window over midnight is an hour shorter in spring',
      openWindow({ ...NIGHT, ...BERLIN, days: ['sat'] }),
      ['2026-03-28T21:00', '2026-03-29T01:59'],
      ['2026-03-28T20:59', '2026-03-29T02:00'],
    ],
    [
      'a window over a midnight that is skipped keeps its day',
      openWindow({ ...NIGHT, days: ['sat'], timeZone: 'America/Santiago' }),
      ['2026-09-06T02:00', '2026-09-06T03:59', '2026-09-06T04:00', '2026-09-06T06:59'],
      ['2026-09-06T01:59', '2026-09-06T07:00'],
    ],
    [
      'half an hour may be skipped',
      openWindow({ ...LORD_HOWE, from: '02:00', to: '02:30' }),
      ['2026-10-02T15:30'],
      ['2026-10-03T15:29', '2026-10-03T15:30'],
    ],
    [
      'half an hour may come twice',
      openWindow({ ...LORD_HOWE, from: '01:30', to: '02:00' }),
      ['2026-04-04T14:30', '2026-04-04T15:00', '2026-04-04T15:29'],
      ['2026-04-04T14:29', '2026-04-04T15:30'],
    ],
  ])('E09: %s', (_, window, open, closed) => {
    expect(openAt({ windows: [window] }, open)).toEqual(open.map(() => true));
    expect(openAt({ windows: [window] }, closed)).toEqual(closed.map(() => false));
  });

  test('E09: a freeze over one of them ends when the clocks show its end', () => {
    const freezes = [freeze('2026-03-27T18:00', '2026-03-30T08:00', BERLIN)];
    const times = ['2026-03-27T16:59', '2026-03-27T17:00', '2026-03-30T05:59', '2026-03-30T06:00'];
    expect(openAt({ freezes }, times)).toEqual([true, false, false, true]);
  });

  test('E09: a freeze that ends in an hour that is skipped ends with what was before it', () => {
    const freezes = [freeze('2026-03-28T18:00', '2026-03-29T02:30', BERLIN)];
    expect(openAt({ freezes }, ['2026-03-29T00:59', '2026-03-29T01:00'])).toEqual([false, true]);
  });

  test('E09: a freeze that ends in an hour that comes twice is in force twice', () => {
    const freezes = [freeze('2026-10-24T18:00', '2026-10-25T02:30', BERLIN)];
    const times = ['2026-10-25T00:29', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'];
    expect(openAt({ freezes }, times)).toEqual([false, true, false, true]);
  });
});

describe('freezes', () => {
  const CHRISTMAS = freeze('2026-12-18T18:00', '2027-01-04T08:00', { reason: 'end of the year' });

  test('close what the windows leave open, from the first minute to the last before the end', () => {
    const rules = { windows: [WORKDAYS, NIGHT], freezes: [CHRISTMAS] };
    const times = ['2026-12-18T15:59', '2026-12-18T22:00', '2026-12-31T10:00', '2027-01-04T09:00'];
    expect(openAt(rules, times)).toEqual([true, false, false, true]);
    const ends = ['2026-12-18T17:59', '2026-12-18T18:00', '2027-01-04T07:59', '2027-01-04T08:00'];
    expect(openAt({ freezes: [CHRISTMAS] }, ends)).toEqual([true, false, false, true]);
  });

  test('any one of several is enough', () => {
    const freezes = [CHRISTMAS, freeze('2026-11-27T00:00', '2026-11-28T00:00')];
    const times = ['2026-11-27T10:00', '2026-11-30T10:00', '2026-12-20T10:00'];
    expect(openAt({ freezes }, times)).toEqual([false, true, false]);
  });

  test('are what is told, with the reason, also outside of the windows', () => {
    const rules = { windows: [openWindow(BERLIN)], freezes: [CHRISTMAS] };
    expect(findClosure(rules, utc('2026-12-24T20:00'))).toEqual({
      why: 'Frozen from 2026-12-18T18:00 to 2027-01-04T08:00 UTC (end of the year)',
      timeZone: 'UTC',
    });
    expect(findClosure(rules, utc('2026-12-01T20:00'))).toEqual({
      why: 'Outside of the deployment windows',
      timeZone: 'Europe/Berlin',
    });
  });

  test('need no reason', () => {
    const freezes = [freeze('2026-11-27T00:00', '2026-11-28T00:00')];
    expect(findClosure({ windows: [], freezes }, utc('2026-11-27T10:00'))?.why).toBe(
      'Frozen from 2026-11-27T00:00 to 2026-11-28T00:00 UTC',
    );
  });
});
