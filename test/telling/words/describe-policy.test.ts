import { describe, expect, test } from '@jest/globals';
import type { Weekday } from '../../../lib/domain/local-time.ts';
import { checks } from '../../../lib/gates/checks.ts';
import { describeGates, describeOpenings } from '../../../lib/telling/words/policy.ts';
import { metricRule } from '../../domain/examples.ts';
import { freeze, openWindow } from '../../domain/turn/examples.ts';

describe('windows and freezes in lines', () => {
  test.each<[readonly Weekday[], string]>([
    [['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], 'every day'],
    [['fri', 'tue', 'wed', 'thu', 'mon'], 'mon to fri'],
    [['sat', 'sun'], 'sat, sun'],
    [['mon', 'wed', 'fri'], 'mon, wed, fri'],
    [['sun'], 'sun'],
  ])('the days %j are %s', (days, words) => {
    const windows = [openWindow({ days, timeZone: 'Europe/Berlin' })];
    expect(describeOpenings({ windows, freezes: [], windowsBind: 'start' })).toEqual([
      `  Windows: ${words} 09:00 to 16:00 Europe/Berlin`,
    ]);
  });

  test('each freeze has a line and its reason, up to five; nothing is said of none', () => {
    const year = freeze('2026-12-18T18:00', '2027-01-04T08:00', {
      reason: 'end of\u001b the year',
    });
    const freezes = [year, ...Array(6).fill(freeze('2027-02-01T00:00', '2027-02-02T00:00'))];
    const lines = describeOpenings({ windows: [], freezes, windowsBind: 'start' });
    expect(lines).toHaveLength(6);
    expect(lines[0]).toBe(
      '  Freeze: 2026-12-18T18:00 to 2027-01-04T08:00 UTC (end of\u{FFFD} the year)',
    );
    expect(lines.at(-1)).toBe('  Freezes: 2 more');
    expect(describeOpenings({ windows: [], freezes: [], windowsBind: 'start' })).toEqual([]);
  });
});

describe('gates in lines', () => {
  const probe = {
    ...{ path: '/healthz', status: 204, tries: 3, timeoutSeconds: 5 },
    ...{ hosts: ['*.example.com'], privateNetwork: true },
  };

  test('every part of them is said, because somebody agrees to it', () => {
    const approval = { timeoutSeconds: 86_400, onTimeout: 'reject' } as const;
    expect(describeGates({ probe, alarms: ['errors', 'latency'], metrics: [], approval })).toEqual([
      '  Gates, every 1 min in each bake and after it:',
      '    GET /healthz must be answered with 204 (at *.example.com, private networks too; 3 tries of 5 s)',
      '    Each alarm must be OK: errors, latency',
      '    A person must approve, except after the last wave; after 24 h it is rejected',
    ]);
    const notTheStarter = { ...approval, notTheStarter: true };
    expect(
      describeGates({ probe: null, alarms: [], metrics: [], approval: notTheStarter }),
    ).toEqual(
      expect.arrayContaining([
        '    A person other than the starter must approve (2 approvals, unless a schedule starts it), except after the last wave; after 24 h it is rejected',
      ]),
    );
    const approved = { ...approval, onTimeout: 'approve' } as const;
    expect(
      describeGates({ probe: null, alarms: ['errors'], metrics: [], approval: approved }),
    ).toEqual([
      '  Gates, every 1 min in each bake and after it:',
      '    The alarm must be OK: errors',
      '    A person must approve, except after the last wave; after 24 h it is approved',
    ]);
  });

  test('so is each metric with its limit', () => {
    const per = { metric: 'Requests', statistic: 'Sum', noData: 'wait' } as const;
    const rules = [
      metricRule(),
      metricRule({ dimensions: {}, per, limit: { above: 0.05 }, noData: 'pass' }),
      metricRule({ metric: 'Speed', statistic: 'p99', limit: { below: 2 }, noData: 'fail' }),
    ];
    expect(
      describeGates({ probe: null, alarms: [], metrics: rules, approval: null }).slice(1),
    ).toEqual([
      '    Errors of each endpoint must not be above 5 (Sum in Shop)',
      '    Errors per Requests must not be above 0.05 (Sum in Shop; no data is a yes)',
      '    Speed of each endpoint must not be below 2 (p99 in Shop; no data is a no)',
    ]);
  });

  test('checks that a rollout or a wave waits for stand apart from those of a bake', () => {
    const url = 'https://checks.example.com';
    const said = [
      { name: 'tests', url, when: 'before-rollout' },
      { name: 'quiet', url, when: 'before-wave', deadlineSeconds: 60 },
      { name: 'new', url, when: 'before-wave', enforce: false },
      { name: 'smoke', url },
    ];
    const none = { probe: null, alarms: [], metrics: [], approval: null };
    const how = `POST to ${url}`;
    expect(describeGates({ ...none, checks: checks.schema.parse(said) })).toEqual([
      '  Before it rolls:',
      `    Check tests must say SUCCEEDED (${how}, before anything is rolled; it may work for 1 h)`,
      `    Check quiet must say SUCCEEDED (${how}, before each wave; it may work for 1 min)`,
      `    Only watched: Check new must say SUCCEEDED (${how}, before each wave; it may work for 1 h)`,
      '  Gates, every 1 min in each bake and after it:',
      `    Check smoke must say SUCCEEDED (${how}; it may work for 1 h)`,
    ]);
  });

  test('nothing is said of none', () => {
    expect(describeGates({ probe: null, alarms: [], metrics: [], approval: null })).toEqual([]);
  });
});
