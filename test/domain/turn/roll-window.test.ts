import { describe, expect, test } from '@jest/globals';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { judgeWindows, longestOpening } from '../../../lib/domain/turn/fits-window.ts';
import { findRollWait, isClosed } from '../../../lib/domain/turn/roll-window.ts';
import { planOf } from '../examples.ts';
import { freeze, openWindow, utc } from './examples.ts';

const HOUR_MS = 3_600_000;
const BERLIN = { timeZone: 'Europe/Berlin' };
const OFFICE = openWindow({
  ...BERLIN,
  ...{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' },
});

/** Through the hours in which the clocks of Berlin change. */
const NIGHT = {
  windows: [openWindow({ ...BERLIN, days: ['sun'], from: '02:00', to: '05:00' })],
};

function recordOf(policy: Partial<RolloutPolicy>): RolloutRecord {
  const whole = { ...DEFAULT_POLICY, windowsBind: 'rolls', ...policy };
  return { request: { policy: whole }, wait: null } as RolloutRecord;
}

describe('when the next rolls of a wave may go', () => {
  test.each<[string, Partial<RolloutPolicy>, string, string]>([
    ['over a weekend', { windows: [OFFICE] }, '2026-11-27T16:30', '2026-11-30T08:00'],
    ['over a weekend in which summer begins', {}, '2026-03-27T16:30', '2026-03-30T07:00'],
    ['over a weekend in which it ends', {}, '2026-10-23T16:30', '2026-10-26T08:00'],
    ['over the night in which summer begins', NIGHT, '2026-03-28T12:00', '2026-03-29T01:00'],
    ['over the night in which it ends', NIGHT, '2026-10-24T12:00', '2026-10-25T00:00'],
    ['over the end of a month', { windows: [OFFICE] }, '2026-04-30T15:00', '2026-05-01T07:00'],
    ['over the end of a year', { windows: [OFFICE] }, '2026-12-31T16:00', '2027-01-01T08:00'],
    [
      'over a leap day',
      { windows: [openWindow({ days: ['wed'] })] },
      '2028-02-29T12:00',
      '2028-03-01T09:00',
    ],
    [
      'on a leap day',
      { windows: [openWindow({ days: ['tue'] })] },
      '2028-02-28T12:00',
      '2028-02-29T09:00',
    ],
    [
      'on 1 March without one',
      { windows: [openWindow({ days: ['mon'] })] },
      '2027-02-28T12:00',
      '2027-03-01T09:00',
    ],
    [
      'after a freeze that ends within a window',
      { freezes: [freeze('2026-11-30T00:00', '2026-11-30T13:00')] },
      '2026-11-27T16:30',
      '2026-11-30T13:00',
    ],
  ])('%s', (_, policy, at, until) => {
    const record = recordOf({ windows: [OFFICE], ...policy });
    const plan = planOf([1, 1]);
    const wait = findRollWait(record, plan, 1, utc(at));
    expect(wait).toMatchObject({ for: 'window', until: utc(until) });
    expect(isClosed(record, plan, 1, utc(until) - 1)).toBe(true);
    expect(findRollWait(record, plan, 1, utc(until))).toBeNull();
  });

  test('nothing is held back on the way back, or where they bind the start', () => {
    const at = utc('2026-11-28T12:00');
    const back = { ...planOf([1, 1]), direction: 'back' } as const;
    expect(findRollWait(recordOf({ windows: [OFFICE] }), back, 1, at)).toBeNull();
    const start = recordOf({ windows: [OFFICE], windowsBind: 'start' });
    expect(findRollWait(start, planOf([1, 1]), 1, at)).toBeNull();
  });

  test('a look comes within a minute in the first hour, and within five after that', () => {
    const record = recordOf({ windows: [OFFICE] });
    const since = utc('2026-11-28T12:00');
    const wait = { for: 'window', of: null, wave: 0, since, until: null, lookAt: since } as const;
    const secondsAt = (at: number) =>
      findRollWait({ ...record, wait }, planOf([1, 1]), 1, at)?.seconds;
    expect(secondsAt(since)).toBe(60);
    expect(secondsAt(since + HOUR_MS)).toBe(300);
    expect(secondsAt(utc('2026-11-30T07:58:30'))).toBe(90);
  });
});

describe('whether a roll fits into a window', () => {
  const now = utc('2026-03-20T00:00');
  const quarter = openWindow({ from: '09:00', to: '09:15' });

  test.each<[string, Parameters<typeof longestOpening>[0], number]>([
    ['without any', { windows: [], freezes: [] }, Number.POSITIVE_INFINITY],
    [
      'all week',
      { windows: [openWindow({ from: '00:00', to: '24:00' })], freezes: [] },
      Number.POSITIVE_INFINITY,
    ],
    ['in the office', { windows: [OFFICE], freezes: [] }, 8 * HOUR_MS],
    [
      'over midnight',
      { windows: [openWindow({ from: '22:00', to: '04:00' })], freezes: [] },
      6 * HOUR_MS,
    ],
    ['in those of a wave', { windows: [OFFICE], waveWindows: [quarter], freezes: [] }, HOUR_MS / 4],
    [
      'never',
      { windows: [OFFICE], waveWindows: [openWindow({ from: '20:00', to: '21:00' })], freezes: [] },
      0,
    ],
    [
      'whatever is frozen',
      { windows: [OFFICE], freezes: [freeze('2026-01-01T00:00', '2027-01-01T00:00')] },
      8 * HOUR_MS,
    ],
    [
      'in an hour that the clocks skip once',
      {
        windows: [openWindow({ ...BERLIN, days: ['sun'], from: '02:00', to: '03:00' })],
        freezes: [],
      },
      HOUR_MS,
    ],
  ])('%s', (_, rules, longest) => {
    expect(longestOpening(rules, now)).toBe(longest);
    expect(longestOpening(rules, now + 7 * 24 * HOUR_MS + 12_345)).toBe(longest);
  });

  test('a roll that was measured and does not is a fault; of one that nobody has seen it is a doubt', () => {
    const policy = { windows: [OFFICE], freezes: [], windowsBind: 'rolls' } as const;
    const waves = [{}, { windows: [quarter] }];
    expect(judgeWindows(policy, waves, 900, now)).toEqual({ faults: [], doubts: [] });
    expect(judgeWindows(policy, waves, 901, now)).toEqual({
      faults: ['Wave 2: its longest window lasts 15 min, and a roll takes 15 min 1 s.'],
      doubts: [],
    });
    expect(judgeWindows(policy, waves, null, now)).toMatchObject({
      faults: [],
      doubts: [
        expect.stringContaining('Wave 1: '),
        expect.stringContaining('15 min; nobody knows'),
      ],
    });
    const never = [{ windows: [openWindow({ from: '20:00', to: '21:00' })] }];
    expect(judgeWindows(policy, never, null, now).faults).toHaveLength(1);
    expect(judgeWindows({ ...policy, windowsBind: 'start' }, never, 60, now).faults).toEqual([]);
  });
});
