import { describe, expect, test } from '@jest/globals';
import type { MetricRule } from '../../../lib/gates/metric-rule.ts';
import { judgeMetric, seriesOf } from '../../../lib/gates/metric-rule.ts';
import { metricRule } from '../examples.ts';

const FROM = Date.parse('2026-11-22T10:05:00Z');
const DURING = 'in 3 min from 2026-11-22 10:05Z';

const DURING_IT = { from: FROM, to: FROM + 180_000, hasBaked: true };

function judge(said: Partial<MetricRule>, ...values: readonly (readonly number[])[]) {
  const question = { ...DURING_IT, rule: metricRule(said), endpoint: null };
  const { verdict, detail } = judgeMetric(question, values);
  return `${verdict}: ${detail.replace(DURING, '…')}`;
}

test('the answer says the value, the time and the limit', () => {
  const question = { ...DURING_IT, rule: metricRule(), endpoint: 'web-1' };
  expect(judgeMetric(question, [[3, 9, 0]])).toEqual({
    verdict: 'fail',
    detail: '12 in 3 min from 2026-11-22 10:05Z, above 5',
  });
});

describe('a limit', () => {
  test.each([
    [5, 'pass: 5 …, not above 5'],
    [5.000001, 'fail: 5 …, above 5'],
    [6, 'fail: 6 …, above 5'],
    [-1, 'pass: -1 …, not above 5'],
  ])('above 5, and the metric is %s', (value, answer) => {
    expect(judge({}, [value])).toBe(answer);
  });

  test.each([
    [5, 'pass: 5 …, not below 5'],
    [4.5, 'fail: 4.5 …, below 5'],
    [6, 'pass: 6 …, not below 5'],
  ])('below 5, and the metric is %s', (value, answer) => {
    expect(judge({ limit: { below: 5 } }, [value])).toBe(answer);
  });
});

describe('the value of several periods', () => {
  test.each([
    ['Sum', '15'],
    ['SampleCount', '15'],
    ['Maximum', '9'],
    ['Minimum', '2'],
    ['p99', '9'],
  ])('%s of 4, 9 and 2 is %s', (statistic, value) => {
    const limit = { above: 100 };
    expect(judge({ statistic, limit }, [4, 9, 2])).toBe(`pass: ${value} …, not above 100`);
  });

  test('of a percentile with a lower limit the smallest one counts', () => {
    expect(judge({ statistic: 'p50', limit: { below: 3 } }, [4, 9, 2])).toBe('fail: 2 …, below 3');
  });

  test('an average is that of all values, and not of the averages of periods', () => {
    const rule = { statistic: 'Average', limit: { above: 2 } };
    expect(seriesOf(metricRule(rule)).map(({ statistic }) => statistic)).toEqual([
      'Sum',
      'SampleCount',
    ]);
    // One request of 100 in the first period, and 99 requests of 1 in the second one.
    expect(judge(rule, [100, 99], [1, 99])).toBe('pass: 1.99 …, not above 2');
    expect(judge(rule, [100, 101], [1, 99])).toBe('fail: 2.01 …, above 2');
  });
});

describe('a metric without data', () => {
  test.each([
    ['wait', 'unknown'],
    ['pass', 'pass'],
    ['fail', 'fail'],
  ] as const)('with noData "%s" is %s, whatever its statistic is', (noData, verdict) => {
    for (const statistic of ['Sum', 'SampleCount', 'Average', 'Maximum', 'Minimum', 'p99']) {
      for (const limit of [{ above: 5 }, { below: 5 }]) {
        expect(judge({ noData, statistic, limit }, [], [])).toBe(`${verdict}: no data …`);
      }
    }
  });

  test('has none either where one of its values is no number', () => {
    expect(judge({}, [1, Number.NaN])).toBe('unknown: a value that is no number …');
    expect(judge({ statistic: 'Average' }, [1], [Number.NaN])).toMatch(/^unknown: a value/);
  });

  test('has no average either where only its sum is there', () => {
    expect(judge({ statistic: 'Average' }, [0], [])).toBe('unknown: no data …');
  });
});

describe('a rate', () => {
  const rate = (noData: MetricRule['noData'], ofDivisor: MetricRule['noData'] = 'wait') => ({
    per: { metric: 'Requests', statistic: 'Sum', noData: ofDivisor } as const,
    limit: { above: 0.05 },
    noData,
  });

  test.each([
    [[0, 5], [60, 40], 'pass: 0.05 …, not above 0.05'],
    [[0, 6], [60, 40], 'fail: 0.06 …, above 0.05'],
    [[0], [100], 'pass: 0 …, not above 0.05'],
    [[1], [3], 'fail: 0.333333 …, above 0.05'],
  ])('of %j errors and %j requests', (errors, requests, answer) => {
    expect(judge(rate('wait'), errors, requests)).toBe(answer);
  });

  test('asks for both metrics', () => {
    expect(seriesOf(metricRule(rate('wait')))).toMatchObject([
      { metric: 'Errors', statistic: 'Sum' },
      { metric: 'Requests', statistic: 'Sum' },
    ]);
  });

  test('without errors is as noData says, because nobody may have counted them', () => {
    expect(judge(rate('wait', 'fail'), [], [100])).toBe('unknown: no data …');
    expect(judge(rate('pass', 'fail'), [], [100])).toBe('pass: no data …');
    expect(judge(rate('fail', 'pass'), [], [100])).toBe('fail: no data …');
  });

  test.each([
    ['nothing is known', [], []],
    ['there were none', [0], [0]],
    ['of errors alone nothing is known', [], [0, 0]],
  ])('without requests is as the noData of the divisor says: %s', (_, errors, requests) => {
    expect(judge(rate('fail', 'wait'), errors, requests)).toBe('unknown: no Requests …');
    expect(judge(rate('fail', 'pass'), errors, requests)).toBe('pass: no Requests …');
    expect(judge(rate('pass', 'fail'), errors, requests)).toBe('fail: no Requests …');
  });

  test('with errors and without requests is above any limit', () => {
    expect(judge(rate('pass', 'pass'), [5], [])).toBe('fail: 5 without Requests …, above 0.05');
  });
});

describe('before the end of the bake', () => {
  const early = (said: Partial<MetricRule>, ...values: readonly (readonly number[])[]) => {
    const question = { ...DURING_IT, rule: metricRule(said), endpoint: null, hasBaked: false };
    return judgeMetric(question, values).verdict;
  };
  const rate = { metric: 'Calls', statistic: 'Sum', noData: 'fail' } as const;

  test.each<[string, Partial<MetricRule>, ...(readonly number[])[]]>([
    ['a sum may still grow', { limit: { below: 20 } }, [4]],
    ['so may a count', { statistic: 'SampleCount', limit: { below: 20 } }, [4]],
    ['a higher one may still come', { statistic: 'Maximum', limit: { below: 20 } }, [4]],
    ['a lower one may still come', { statistic: 'Minimum', limit: { above: 2 } }, [4]],
    ['data may still come', { noData: 'fail' }, []],
    ['somebody may still call', { per: rate }, [], []],
  ])('%s: it is no answer yet, and a no after it', (_, said, ...values) => {
    expect(early(said, ...values)).toBe('unknown');
    expect(judge(said, ...values)).toMatch(/^fail/);
  });

  test.each<[string, Partial<MetricRule>, ...(readonly number[])[]]>([
    ['a sum that is too large', { limit: { above: 2 } }, [4]],
    ['a count that is too large', { statistic: 'SampleCount', limit: { above: 2 } }, [4]],
    ['the highest is too high', { statistic: 'Maximum', limit: { above: 2 } }, [4]],
    ['the lowest is too low', { statistic: 'Minimum', limit: { below: 20 } }, [4]],
    ['a percentile', { statistic: 'p99', limit: { below: 20 } }, [4]],
    [
      'an average, which tells how it is now',
      { statistic: 'Average', limit: { below: 20 } },
      [4],
      [1],
    ],
    ['a rate, which tells how it is now', { per: rate, limit: { below: 20 } }, [4], [1]],
  ])('%s: that is a no', (_, said, ...values) => {
    expect(early(said, ...values)).toBe('fail');
  });

  test('a yes is one, and silence that is a yes, too', () => {
    expect(early({ limit: { below: 2 } }, [4])).toBe('pass');
    expect(early({ noData: 'pass' }, [])).toBe('pass');
  });
});
