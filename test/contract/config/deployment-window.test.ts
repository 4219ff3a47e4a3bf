import { describe, expect, test } from '@jest/globals';
import * as z from 'zod';
import { deploymentWindowSchema, freezeSchema } from '../../../lib/contract/config/windows.ts';
import { mistakesIn } from '../mistakes-in.ts';

const WINDOW = { from: '09:00', to: '16:00' };
const FREEZE = { from: '2026-12-18T18:00', to: '2027-01-04T08:00' };

describe('a window', () => {
  test.each<[string, object]>([
    ['some days', { ...WINDOW, days: ['sat', 'sun'] }],
    ['a time zone', { ...WINDOW, timeZone: 'America/Argentina/Buenos_Aires' }],
    ['times on every quarter hour', { from: '00:15', to: '23:45' }],
    ['all day', { from: '00:00', to: '24:00' }],
    ['midnight in it', { from: '22:30', to: '04:00' }],
  ])('may have %s', (_, window) => {
    expect(mistakesIn(deploymentWindowSchema, window)).toEqual([]);
  });

  const QUARTER = 'on a quarter hour (:00, :15, :30 or :45)';
  test.each<[string, object, string]>([
    ['no begin', { to: '16:00' }, `from: missing; use a time ${QUARTER}: "09:00"`],
    [
      'an odd minute',
      { ...WINDOW, from: '09:10' },
      'from: "09:10" is not allowed; use a time on a',
    ],
    ['one digit', { ...WINDOW, from: '9:00' }, 'from: "9:00" is not allowed'],
    ['seconds', { ...WINDOW, to: '16:00:00' }, 'to: "16:00:00" is not allowed; use a time on a'],
    ['a begin at the end of the day', { ...WINDOW, from: '24:00' }, 'from: "24:00"'],
    ['an end after the end of the day', { ...WINDOW, to: '24:15' }, 'to: "24:15" is not allowed'],
    ['a line break', { ...WINDOW, to: '16:00\n' }, 'to: "16:00\\n" is not allowed'],
    [
      'no length',
      { from: '09:00', to: '09:00' },
      'to: "09:00" is not allowed; use another time than from; all day is from 00:00 to 24:00',
    ],
    [
      'no days',
      { ...WINDOW, days: [] },
      'days: an empty list is not allowed; use a list of at least 1',
    ],
    ['days by another name', { ...WINDOW, days: ['Monday'] }, 'days[0]: "Monday" is not allowed'],
    ['a zone that is none', { ...WINDOW, timeZone: 'Mars/Base' }, 'timeZone: "Mars/Base"'],
    ['an offset for a zone', { ...WINDOW, timeZone: '+01:00' }, 'timeZone: "+01:00"'],
    ['C04: an unknown key', { ...WINDOW, day: 'mon' }, 'day: unknown key'],
  ])('may not have %s', (_, window, mistake) => {
    expect(mistakesIn(deploymentWindowSchema, window)).toEqual([expect.stringContaining(mistake)]);
  });
});

describe('a freeze', () => {
  test.each<[string, object]>([
    ['a reason', { ...FREEZE, reason: 'end of the year' }],
    ['a time zone', { ...FREEZE, timeZone: 'Europe/Berlin' }],
    ['a leap day', { from: '2028-02-29T00:00', to: '2028-02-29T00:15' }],
  ])('may have %s', (_, freeze) => {
    expect(mistakesIn(freezeSchema, freeze)).toEqual([]);
  });

  test.each<[string, object, string]>([
    [
      'no end',
      { from: FREEZE.from },
      'to: missing; use a date and a time on a quarter hour (:00, :15, :30 or :45): "2026-12-18T18:00"',
    ],
    ['a date alone', { ...FREEZE, from: '2026-12-18' }, 'from: "2026-12-18" is not allowed; use a'],
    ['an odd minute', { ...FREEZE, from: '2026-12-18T18:05' }, 'from: "2026-12-18T18:05"'],
    ['an offset', { ...FREEZE, to: '2027-01-04T08:00Z' }, 'to: "2027-01-04T08:00Z"'],
    ['a thirteenth month', { ...FREEZE, to: '2027-13-04T08:00' }, 'to: "2027-13-04T08:00"'],
    ['30 February', { ...FREEZE, to: '2027-02-30T08:00' }, 'to: "2027-02-30T08:00"'],
    [
      'an end before it begins',
      { from: FREEZE.to, to: FREEZE.from },
      'to: "2026-12-18T18:00" is not allowed; use a time after from, 2027-01-04T08:00',
    ],
    ['no length', { from: FREEZE.from, to: FREEZE.from }, 'use a time after from'],
    ['an empty reason', { ...FREEZE, reason: '' }, 'reason: "" is not allowed'],
    ['a zone that is none', { ...FREEZE, timeZone: 'Mars/Base' }, 'timeZone: "Mars/Base"'],
    ['days', { ...FREEZE, days: ['mon'] }, 'days: unknown key'],
  ])('may not have %s', (_, freeze, mistake) => {
    expect(mistakesIn(freezeSchema, freeze)).toEqual([expect.stringContaining(mistake)]);
  });
});

test('C04: every mistake is told at once, with its path', () => {
  const wrong = {
    windows: [{ days: 'weekdays', from: '09:00', to: '09:00', zone: 'UTC' }],
    freezes: [
      { from: '2027-01-04T08:00', to: '2026-12-18T18:00', timeZone: 'Mars/Base', reason: 7 },
    ],
  };
  const schema = z.strictObject({
    windows: z.array(deploymentWindowSchema),
    freezes: z.array(freezeSchema),
  });
  expect(
    mistakesIn(schema, wrong)
      .map((text) => text.split(':')[0])
      .toSorted(),
  ).toEqual([
    'freezes[0].reason',
    'freezes[0].timeZone',
    'freezes[0].to',
    'windows[0].days',
    'windows[0].to',
    'windows[0].zone',
  ]);
});

test('C08: values of no sense at all are mistakes, not crashes', () => {
  const odd = JSON.parse('{"toString": 1, "valueOf": 1}');
  for (const schema of [deploymentWindowSchema, freezeSchema]) {
    expect(mistakesIn(schema, { from: odd, to: odd })).toHaveLength(2);
    expect(mistakesIn(schema, { from: 5, to: 5 })).toHaveLength(2);
    expect(mistakesIn(schema, null)).toHaveLength(1);
  }
});
