import { describe, expect, test } from '@jest/globals';
import { convergedAt } from '../../../lib/domain/wave/bake.ts';
import type { MetricRule } from '../../../lib/gates/metric-rule.ts';
import {
  firstAnswerSeconds,
  nameOfMetric,
  questionsAbout,
} from '../../../lib/gates/metric-rule.ts';
import { metricRule, progressOf } from '../examples.ts';

const at = (time: string) => Date.parse(`2026-11-22T${time}Z`);
const NOW = { since: 0, now: 0, hasBaked: true };
const OF = { runtimeId: 'shop', desiredVersion: 3 };

function askedTime(since: string, now: string, said: Partial<MetricRule> = {}) {
  const rule = metricRule({ dimensions: {}, ...said });
  const times = { since: at(since), now: at(now), hasBaked: true };
  return questionsAbout(rule, OF, [], times).map(({ from, to }) =>
    [from, to].map((time) => new Date(time).toISOString().slice(11, 19)),
  );
}

describe('the time that a metric is asked for', () => {
  test.each([
    ['10:05:00', '10:10:00', '10:05:00', '10:08:00'],
    ['10:04:01', '10:09:01', '10:05:00', '10:07:00'],
    ['10:04:59', '10:09:59', '10:05:00', '10:07:00'],
  ])('converged at %s, asked at %s: from %s to %s', (since, now, from, to) => {
    expect(askedTime(since, now)).toEqual([[from, to]]);
  });

  test('has whole periods of any length, and leaves out what may still come', () => {
    const rule = { periodSeconds: 300, delaySeconds: 0 };
    expect(askedTime('10:01:00', '10:29:59', rule)).toEqual([['10:05:00', '10:25:00']]);
  });

  test('is not empty any more after the seconds in which the first answer is promised', () => {
    for (const periodSeconds of [60, 300, 3600]) {
      const rule = metricRule({ dimensions: {}, periodSeconds });
      for (const second of [0, 1, 59, 299, 3599]) {
        const since = at('10:00:00') + second * 1000;
        const now = since + firstAnswerSeconds(rule) * 1000;
        const [asked] = questionsAbout(rule, OF, [], { since, now, hasBaked: true });
        expect((asked?.to ?? 0) - (asked?.from ?? 0)).toBeGreaterThanOrEqual(periodSeconds * 1000);
      }
    }
  });
});

describe('the dimensions', () => {
  test('have the runtime, the version and each endpoint filled in', () => {
    const dimensions = { Resource: 'runtime/{runtime}:{version}', Name: '{endpoint}::{endpoint}' };
    const asked = questionsAbout(metricRule({ dimensions }), OF, ['a', 'b'], NOW);

    expect(asked.map(({ rule, endpoint }) => ({ endpoint, ...rule.dimensions }))).toEqual([
      { endpoint: 'a', Resource: 'runtime/shop:3', Name: 'a::a' },
      { endpoint: 'b', Resource: 'runtime/shop:3', Name: 'b::b' },
    ]);
  });

  test('have the name of a runtime of AgentCore filled in, which its id begins with', () => {
    const nameIn = (runtimeId: string) => {
      const rule = metricRule({ dimensions: { Name: '{runtimeName}::{endpoint}' } });
      return questionsAbout(rule, { ...OF, runtimeId }, ['prod'], NOW)[0]?.rule.dimensions.Name;
    };
    expect(nameIn('web_shop-a1B2c3D4e5')).toBe('web_shop::prod');
    expect(nameIn('web-shop-a1B2c3D4e5')).toBe('web-shop::prod');
    expect(nameIn('web-shop')).toBe('web-shop::prod');
  });

  test('name no endpoint: the metric is asked once', () => {
    const rule = metricRule({ dimensions: { Resource: '{runtime}' } });
    expect(questionsAbout(rule, OF, ['a', 'b'], NOW)).toHaveLength(1);
  });

  test('a name is taken as it is, even if it looks like a placeholder or a pattern', () => {
    for (const name of ['{version}', '$&', "$'", '{endpoint}']) {
      const [asked] = questionsAbout(metricRule(), OF, [name], NOW);
      expect(asked?.rule.dimensions).toEqual({ Name: name });
    }
  });
});

test('a metric is named with its divisor and its endpoint', () => {
  const per = { metric: 'Requests', statistic: 'Sum', noData: 'wait' } as const;
  expect(nameOfMetric({ rule: metricRule(), endpoint: null })).toBe('Errors');
  expect(nameOfMetric({ rule: metricRule({ per }), endpoint: 'web-1' })).toBe(
    'Errors per Requests of web-1',
  );
});

test('L07: a wave has converged when that was written down, and not as long ago as somebody watched it bake', () => {
  const clock = { at: 9_000_000, watched: 500_000 };
  const converged = { at: 5_000_000, watched: 200_000 };

  expect(convergedAt(progressOf(1, [], { clock, converged }))).toBe(5_000_000);
});

test('X10: a clock that was ahead is not believed against what was watched', () => {
  const clock = { at: 900_000, watched: 500_000 };
  const converged = { at: 4_000_000, watched: 410_000 };

  expect(convergedAt(progressOf(1, [], { clock, converged }))).toBe(810_000);
});

test('a wave that is asked about before it has converged has done so just now', () => {
  expect(convergedAt(progressOf(1, [], { readAt: 900_000 }))).toBe(900_000);
});
