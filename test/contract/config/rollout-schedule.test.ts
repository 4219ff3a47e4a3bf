import { describe, expect, test } from '@jest/globals';
import { rolloutScheduleSchema } from '../../../lib/contract/config/schedules.ts';
import { mistakesIn } from '../mistakes-in.ts';

const DAILY = { name: 'daily', runtimeId: 'shop', rate: '1 day', version: 3 };
const AT = { ...DAILY, rate: undefined, at: '2026-12-01T03:00:00' };
const CRON = { ...DAILY, rate: undefined, cron: '0 3 * * ? *' };

describe('a schedule', () => {
  test.each<[string, object]>([
    ['a rate', DAILY],
    ['a cron expression', CRON],
    ['a single time', AT],
    ['a time zone with cron', { ...CRON, timeZone: 'Europe/Berlin' }],
    ['a time zone of three parts', { ...AT, timeZone: 'America/Argentina/Buenos_Aires' }],
    ['a flexible window', { ...DAILY, flexibleMinutes: 1440 }],
    ['a group for a runtime', { ...DAILY, runtimeId: undefined, group: 'prod' }],
    ['a version to promote', { ...DAILY, version: undefined, versionFrom: { endpoint: 'e-1' } }],
  ])('may have %s', (_, schedule) => {
    expect(mistakesIn(rolloutScheduleSchema, schedule)).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['no time', { ...DAILY, rate: undefined }, 'rate: missing; use exactly one of rate, cron, at'],
    ['two times', { ...DAILY, cron: '0 3 * * ? *' }, 'cron: "0 3 * * ? *" is not allowed'],
    ['a wrong cron expression', { ...CRON, cron: '0 3 * * * *' }, 'cron: '],
    ['a wrong rate', { ...DAILY, rate: '1 fortnight' }, 'rate: '],
    ['a wrong time', { ...AT, at: 'tomorrow' }, 'at: '],
    ['a time zone with a rate', { ...DAILY, timeZone: 'Europe/Berlin' }, 'timeZone: '],
    ['a time zone that is none', { ...CRON, timeZone: 'Mars/Base' }, 'timeZone: '],
    ['an offset for a time zone', { ...CRON, timeZone: '+01:00' }, 'timeZone: '],
    ['a window of 0', { ...DAILY, flexibleMinutes: 0 }, 'flexibleMinutes: '],
    ['a window of a day and a minute', { ...DAILY, flexibleMinutes: 1441 }, 'flexibleMinutes: '],
    ['no version', { ...DAILY, version: undefined }, 'version: missing'],
    ['two versions', { ...DAILY, versionFrom: { endpoint: 'e-1' } }, 'versionFrom: '],
    ['a group beside a runtime', { ...DAILY, group: 'prod' }, 'group: "prod" is not allowed'],
    ['no runtime', { ...DAILY, runtimeId: undefined }, 'runtimeId: missing; use exactly one of'],
    ['a runtime by path', { ...DAILY, runtimeId: { path: 'detail.x' } }, 'runtimeId: '],
    ['a policy', { ...DAILY, policy: {} }, 'policy: unknown key'],
  ])('may not have %s', (_, schedule, mistake) => {
    expect(mistakesIn(rolloutScheduleSchema, schedule)).toEqual([expect.stringContaining(mistake)]);
  });
});
