import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WEEKDAYS } from '../../../lib/domain/local-time.ts';
import { findClosure, nextTimeWhen, type OpeningRules } from '../../../lib/domain/turn/window.ts';
import { freeze, openWindow, utc } from './examples.ts';

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 3_600_000;
const BERLIN = { timeZone: 'Europe/Berlin' };
const MONDAYS = openWindow({ days: ['mon'] });

describe('nextTimeWhen', () => {
  test.each<[string, Partial<OpeningRules>, string, string | null]>([
    ['now, without any rules', {}, '2026-11-22T03:17:05', '2026-11-22T03:17:05'],
    ['now, in a window', { windows: [MONDAYS] }, '2026-11-23T09:59:59', '2026-11-23T09:59:59'],
    ['today', { windows: [MONDAYS] }, '2026-11-23T08:59:59', '2026-11-23T09:00'],
    ['in a week', { windows: [MONDAYS] }, '2026-11-23T16:00', '2026-11-30T09:00'],
    [
      'when the first of several opens',
      { windows: [MONDAYS, openWindow({ from: '22:30', to: '02:00' })] },
      '2026-11-23T16:00',
      '2026-11-23T22:30',
    ],
    [
      'when a freeze ends in the middle of a window',
      { windows: [MONDAYS], freezes: [freeze('2026-11-20T00:00', '2026-11-23T12:15')] },
      '2026-11-21T16:00',
      '2026-11-23T12:15',
    ],
    [
      'when one freeze after the other has ended',
      {
        freezes: [
          freeze('2026-11-20T00:00', '2026-11-21T00:00'),
          freeze('2026-11-21T00:00', '2026-11-22T06:30'),
        ],
      },
      '2026-11-20T10:00',
      '2026-11-22T06:30',
    ],
    [
      'a week from now to the minute',
      { freezes: [freeze('2026-11-01T00:00', '2026-11-30T10:00')] },
      '2026-11-23T10:00',
      '2026-11-30T10:00',
    ],
    [
      'never, a minute before that',
      { freezes: [freeze('2026-11-01T00:00', '2026-11-30T10:00')] },
      '2026-11-23T09:59',
      null,
    ],
    [
      'E09: after the hour that the clocks skip',
      { windows: [openWindow({ ...BERLIN, from: '02:30', to: '05:00' })] },
      '2026-03-28T12:00',
      '2026-03-29T01:00',
    ],
    [
      'E09: on the next day, when they skip the window',
      { windows: [openWindow({ ...BERLIN, from: '02:00', to: '03:00' })] },
      '2026-03-28T12:00',
      '2026-03-30T00:00',
    ],
    [
      'E09: once more, in the hour that they show twice',
      { windows: [openWindow({ ...BERLIN, from: '01:00', to: '02:30' })] },
      '2026-10-25T00:30',
      '2026-10-25T01:00',
    ],
    [
      'E09: never within a week, when they skip the only window of it',
      { windows: [openWindow({ ...BERLIN, days: ['sun'], from: '02:00', to: '03:00' })] },
      '2026-03-23T12:00',
      null,
    ],
  ])('%s', (_, rules, at, expected) => {
    const complete = { windows: [], freezes: [], ...rules };
    const opening = nextTimeWhen(true, complete, utc(at));
    expect(opening).toBe(expected === null ? null : utc(expected));
  });
});

const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/Santiago'];
const timeZone = fc.constantFrom(...ZONES);
const quarter = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '15', '30', '45'))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`);
const window = fc
  .record({
    days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 3 }),
    from: quarter,
    to: fc.oneof(quarter, fc.constant('24:00')),
    timeZone,
  })
  .filter(({ from, to }) => from !== to);

/** From a day before a Sunday on which clocks are changed somewhere to four days after it. */
const near = (sunday: string) =>
  fc
    .integer({ min: -24 * 60, max: 4 * 24 * 60 })
    .map((minutes) => utc(sunday) + minutes * MINUTE_MS);
const at = fc.oneof(...['2026-03-29T00:00', '2026-04-05T00:00', '2026-10-04T00:00'].map(near));
const someFreeze = fc
  .tuple(at, fc.integer({ min: 1, max: 4 * 96 }), timeZone)
  .map(([from, quarters, zone]) => {
    const start = Math.floor(from / (15 * MINUTE_MS)) * 15 * MINUTE_MS;
    const text = (time: number) => new Date(time).toISOString().slice(0, 16);
    return freeze(text(start), text(start + quarters * 15 * MINUTE_MS), { timeZone: zone });
  });
const rules = fc.record({
  windows: fc.array(window, { maxLength: 2 }),
  freezes: fc.array(someFreeze, { maxLength: 1 }),
});

describe('whatever the rules are', () => {
  test('the next opening is open, and from now to it, minute by minute, nothing is', () => {
    fc.assert(
      fc.property(rules, at, (given, now) => {
        const opening = nextTimeWhen(true, given, now);
        if (opening !== null) expect(findClosure(given, opening)).toBeNull();
        for (let time = now; time < (opening ?? now + WEEK_MS); time += MINUTE_MS) {
          if (findClosure(given, time) === null)
            throw new Error(`open at ${new Date(time).toISOString()}`);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('later is never earlier, and to wait for a part of the time changes nothing', () => {
    fc.assert(
      fc.property(rules, at, fc.integer({ min: 0, max: WEEK_MS }), (given, now, later) => {
        const first = nextTimeWhen(true, given, now);
        const second = nextTimeWhen(true, given, now + later);
        if (first === null || second === null) return;
        expect(second).toBeGreaterThanOrEqual(first);
        if (now + later <= first) expect(second).toBe(first);
      }),
    );
  });
});
