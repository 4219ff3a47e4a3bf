import { describe, expect, test } from '@jest/globals';
import type { SteprollError } from '../../../lib/domain/errors.ts';
import { decideTrigger, type Trigger } from '../../../lib/domain/trigger/trigger.ts';

const NOW = Date.UTC(2026, 11, 1, 3);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const RULES = { runtimes: ['shop', 'search'], groups: ['prod'], maxAgeSeconds: 900 };

const STARTED_BY = { kind: 'release', name: 'build-41', at: NOW };

const release = (more: Partial<Trigger> = {}): Trigger => ({
  kind: 'release',
  key: 'event-1',
  name: 'build-41',
  at: NOW,
  windowMs: 0,
  runtimeId: 'shop',
  wanted: { version: 7 },
  ...more,
});
const decide = (more: Partial<Trigger>, rules = RULES) => {
  try {
    return { decision: 'start', input: decideTrigger(release(more), rules, NOW) } as const;
  } catch (thrown) {
    const { name: error, message } = thrown as SteprollError;
    return { decision: 'refuse', error, message } as const;
  }
};

describe('a trigger that is to be carried out', () => {
  test('says what and which version, and nothing of how', () => {
    expect(decide({})).toEqual({
      decision: 'start',
      input: { schemaVersion: 1, runtimeId: 'shop', version: 7, startedBy: STARTED_BY },
    });
    expect(decide({ wanted: { versionFrom: { endpoint: 'staging' } } })).toEqual({
      decision: 'start',
      input: {
        schemaVersion: 1,
        runtimeId: 'shop',
        versionFrom: { endpoint: 'staging' },
        startedBy: STARTED_BY,
      },
    });
  });
});

describe('the time of a trigger', () => {
  test.each<[string, number, string]>([
    ['E04: 15 minutes old', -15 * MINUTE, 'start'],
    ['E04: a moment older', -15 * MINUTE - 1, 'StaleTrigger'],
    ['E04: 23 hours old', -23 * HOUR, 'StaleTrigger'],
    ['E04: replayed from a queue after 3 days', -72 * HOUR, 'StaleTrigger'],
    ['E05: of the same moment', 0, 'start'],
    ['E05: 5 minutes ahead, as clocks differ', 5 * MINUTE, 'start'],
    ['E05: a moment more ahead', 5 * MINUTE + 1, 'InvalidTrigger'],
    ['E05: 10 minutes ahead', 10 * MINUTE, 'InvalidTrigger'],
    ['E05: so far ahead that it would stay fresh for years', 1e12, 'InvalidTrigger'],
    ['E05: no time at all', Number.NaN, 'InvalidTrigger'],
  ])('%s: %d ms is %s', (_, offset, expected) => {
    expect(verdictOn(decide({ at: NOW + offset }))).toBe(expected);
  });

  test('E04: the configuration says how old is too old', () => {
    const rules = { ...RULES, maxAgeSeconds: 60 };
    expect(verdictOn(decide({ at: NOW - MINUTE }, rules))).toBe('start');
    expect(verdictOn(decide({ at: NOW - MINUTE - 1 }, rules))).toBe('StaleTrigger');
  });

  test('a schedule may be late by its flexible window besides', () => {
    const late = { kind: 'schedule', windowMs: HOUR } as const;
    expect(verdictOn(decide({ ...late, at: NOW - 75 * MINUTE }))).toBe('start');
    expect(verdictOn(decide({ ...late, at: NOW - 75 * MINUTE - 1 }))).toBe('StaleTrigger');
  });

  test('a schedule that is made up for says itself how late it may be', () => {
    const late = { kind: 'schedule', maxAgeSeconds: 3600, windowMs: MINUTE } as const;
    expect(verdictOn(decide({ ...late, at: NOW - 61 * MINUTE }))).toBe('start');
    expect(verdictOn(decide({ ...late, at: NOW - 61 * MINUTE - 1 }))).toBe('StaleTrigger');
  });

  test('the message says how old, and how old it may be', () => {
    expect(decide({ at: NOW - 20 * MINUTE })).toMatchObject({
      message: 'The release is 1200 s old, and after 900 s it starts nothing.',
    });
  });
});

describe('the runtime of a trigger', () => {
  test.each(['*', 'shop*', 'SHOP', ' shop', '__proto__', 'constructor'])(
    'E07: %j is no runtime of the configuration',
    (runtimeId) => {
      expect(decide({ runtimeId })).toEqual({
        decision: 'refuse',
        error: 'UnknownRuntime',
        message: expect.stringContaining(JSON.stringify(runtimeId)),
      });
    },
  );

  test('may be those of a group', () => {
    expect(decide({ runtimeId: 'group:prod' })).toMatchObject({
      decision: 'start',
      input: { runtimeId: 'group:prod', version: 7 },
    });
  });

  test.each(['prd', 'PROD', '*', '', '__proto__', 'shop'])(
    'E07: %j is no group of the configuration',
    (group) => {
      expect(decide({ runtimeId: `group:${group}` })).toEqual({
        decision: 'refuse',
        error: 'UnknownRuntime',
        message: `The release names the group ${JSON.stringify(group)}, which has no entry in "groups" of the configuration.`,
      });
    },
  );

  test('E07: a configuration without runtimes has none that a trigger may roll', () => {
    expect(verdictOn(decide({}, { ...RULES, runtimes: [] }))).toBe('UnknownRuntime');
  });
});

function verdictOn(decision: ReturnType<typeof decide>): string {
  return decision.decision === 'start' ? 'start' : decision.error;
}
