import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { faultOfCron } from '../../../lib/domain/trigger/schedule-syntax.ts';

describe('what EventBridge documents', () => {
  test.each([
    '0 10 * * ? *',
    '15 12 * * ? *',
    '0 18 ? * MON-FRI *',
    '0 8 1 * ? *',
    '0/10 * ? * MON-FRI *',
    '0/5 8-17 ? * MON-FRI *',
    '0/30 0-2 ? * * *',
    '0 9 L * ? *',
    '0 9 3W * ? *',
    '0 9 ? * 3#2 *',
    '0 9 ? * FRI#1 *',
    '0 9 ? * 6L *',
    '0 9 ? * L *',
    '0,15,30,45 0,12 1,15 JAN,JUL ? 2026-2030',
    '*/5 */2 1-31/7 1-12/3 ? 1970/2',
    '59 23 31 12 ? 2199',
  ])('%s is accepted', (text) => {
    expect(faultOfCron(text)).toBeNull();
  });
});

describe('a mistake is named', () => {
  const FIELDS = /^use 6 fields/;
  const DAYS = /^use \? for either/;
  test.each<[string, RegExp]>([
    ['', FIELDS],
    ['0 3 * * ?', FIELDS],
    ['0 3 * * ? * *', FIELDS],
    ['0  3 * * ? *', FIELDS],
    [' 0 3 * * ? *', FIELDS],
    ['cron(0 3 * * ? *)', /: minutes, year$/],
    ['60 3 * * ? *', /: minutes$/],
    ['-1 3 * * ? *', /: minutes$/],
    ['0 24 * * ? *', /: hours$/],
    ['0 3 0 * ? *', /: day of month$/],
    ['0 3 32 * ? *', /: day of month$/],
    ['0 3 32W * ? *', /: day of month$/],
    ['0 3 ? 13 * *', /: month$/],
    ['0 3 ? jan * *', /: month$/],
    ['0 3 ? * 0 *', /: day of week$/],
    ['0 3 ? * 8 *', /: day of week$/],
    ['0 3 ? * MON#6 *', /: day of week$/],
    ['0 3 ? * FRI-MON *', /: day of week$/],
    ['0 3 * * ? 1969', /: year$/],
    ['0 3 * * ? 2200', /: year$/],
    ['5-1 3 * * ? *', /: minutes$/],
    ['1- 3 * * ? *', /: minutes$/],
    ['1-2-3 3 * * ? *', /: minutes$/],
    ['1,,2 3 * * ? *', /: minutes$/],
    ['0/0 3 * * ? *', /: minutes$/],
    ['0/5/5 3 * * ? *', /: minutes$/],
    ['0/60 3 * * ? *', /: minutes$/],
    ['1.5 0x3 * * ? *', /: minutes, hours$/],
    ['0 3 * * * *', DAYS],
    ['0 3 ? * ? *', DAYS],
    ['0 3 1 * MON *', DAYS],
  ])('%j', (text, fault) => {
    expect(faultOfCron(text)).toMatch(fault);
  });
});

test('any list of ranges with steps within the bounds is accepted, and outside of them none', () => {
  const range = fc
    .tuple(fc.nat(59), fc.nat(59), fc.integer({ min: 1, max: 59 }))
    .map(([one, other, step]) => `${Math.min(one, other)}-${Math.max(one, other)}/${step}`);
  const list = fc.array(range, { minLength: 1, maxLength: 5 }).map((items) => items.join(','));
  fc.assert(
    fc.property(list, fc.integer({ min: 60, max: 9999 }), (minutes, beyond) => {
      expect(faultOfCron(`${minutes} * * * ? *`)).toBeNull();
      expect(faultOfCron(`${minutes},${beyond} * * * ? *`)).not.toBeNull();
    }),
  );
});

test('whatever is not one of the characters of cron is refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!/^[\d *?/,#A-Z-]*$/.test(text));
      expect(faultOfCron(text)).not.toBeNull();
      expect(faultOfCron(`0 3 * * ? ${text}`)).not.toBeNull();
    }),
  );
});
