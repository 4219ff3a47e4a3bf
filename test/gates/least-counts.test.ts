import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { askGates } from '../../lib/gates/ask-gates.ts';
import type { Question } from '../../lib/gates/gate.ts';
import { judgeMetric, metricRule, seriesOf } from '../../lib/gates/metric-rule.ts';
import { prometheusRule } from '../../lib/gates/prometheus-rule.ts';
import { gatePortsOf } from '../support/gate-ports.ts';

const FROM = Date.UTC(2026, 10, 28, 9, 30);
const METRIC = { namespace: 'Shop', metric: 'Errors', limit: { above: 0.1 }, atLeast: 20 };
const RATE = { ...METRIC, per: { metric: 'Invocations' } };

function judge(said: object, values: readonly (readonly number[])[], hasBaked = false) {
  const rule = metricRule.parse(said);
  return judgeMetric({ rule, endpoint: null, from: FROM, to: FROM + 300_000, hasBaked }, values);
}

describe('a metric with a least count', () => {
  test('has no answer with fewer, whatever it says', () => {
    const few = {
      verdict: 'unknown',
      detail: '12 of at least 20 Invocations in 5 min from 09:30Z',
    };
    expect(judge(RATE, [[0], [5, 7]])).toEqual({
      ...few,
      detail: expect.stringContaining('12 of at least 20 Invocations in 5 min from'),
    });
    expect(judge(RATE, [[12], [5, 7]]).verdict).toBe('unknown');
    expect(
      judge({ ...RATE, per: { metric: 'Invocations', noData: 'pass' } }, [[0], [5, 7]]).verdict,
    ).toBe('unknown');
    expect(judge(RATE, [[0], [20]]).verdict).toBe('pass');
    expect(judge(RATE, [[3], [20]]).verdict).toBe('fail');
  });

  test('has no answer with fewer, also if a value is no number', () => {
    const per = { metric: 'Invocations', noData: 'pass' };
    expect(judge({ ...METRIC, per, noData: 'pass' }, [[Number.NaN], [3]]).verdict).toBe('unknown');
  });

  test('that a bake ends without is what noData says', () => {
    for (const [noData, verdict] of [
      ['wait', 'unknown'],
      ['pass', 'pass'],
      ['fail', 'fail'],
    ]) {
      const per = { metric: 'Invocations', noData };
      expect(judge({ ...METRIC, per }, [[0], [12]], true).verdict).toBe(verdict);
    }
  });

  test('counts the samples of a metric that is divided by nothing', () => {
    const average = { ...METRIC, statistic: 'p99' };
    expect(seriesOf(metricRule.parse(average))).toEqual([
      { metric: 'Errors', statistic: 'p99' },
      { metric: 'Errors', statistic: 'SampleCount' },
    ]);
    expect(judge(average, [[0.01], [19]]).detail).toContain('19 of at least 20 samples');
    expect(judge(average, [[0.01], [21]]).verdict).toBe('pass');
  });

  test('is never a yes or a no in a bake with fewer', () => {
    const counts = fc.array(fc.integer({ min: 0, max: 19 }), { maxLength: 5 });
    const noData = fc.constantFrom('wait', 'pass', 'fail');
    fc.assert(
      fc.property(
        counts,
        fc.float({ noNaN: true, min: 0, max: 50 }),
        noData,
        (some, value, none) => {
          fc.pre(some.reduce((sum, one) => sum + one, 0) < 20);
          const per = { metric: 'Invocations', noData: none };
          return judge({ ...METRIC, per, noData: none }, [[value], some]).verdict === 'unknown';
        },
      ),
    );
  });
});

describe('a query with a least count', () => {
  const rule = {
    name: 'quality',
    url: 'https://prometheus.example.com',
    query: 'avg(score{version="{version}"})',
    below: 0.8,
    atLeast: { query: 'count(score{version="{version}"})', count: 20 },
  };

  async function ask(count: number | null, value: number, when: 'bake' | 'bake-end' = 'bake') {
    const asked: string[] = [];
    const ports = gatePortsOf({
      async prometheus(_, query) {
        asked.push(query);
        const said = query.startsWith('count') ? count : value;
        const result = said === null ? [] : [{ value: [0, String(said)] }];
        return { json: { status: 'success', data: { resultType: 'vector', result } } };
      },
    });
    const verify = { prometheus: [prometheusRule.parse(rule)] };
    const question = {
      ...{ when, request: { rolloutId: 'r', runtimeId: 'shop', desiredVersion: 3 }, wave: 1 },
      ...{
        endpoints: [],
        settled: [],
        previousVersions: new Map(),
        since: FROM,
        now: FROM + 60_000,
      },
      ...{ bakedMs: 0, watched: 0, kept: [], noes: [] },
    } satisfies Question;
    const [reading] = await askGates(verify, question, ports);
    return { ...reading, asked };
  }

  test('asks how many there are first, with the same placeholders', async () => {
    expect(await ask(12, 0.1)).toMatchObject({
      verdict: 'unknown',
      detail: '12 of at least 20',
      asked: ['count(score{version="3"})'],
    });
    expect(await ask(null, 0.9)).toMatchObject({ verdict: 'unknown', detail: '0 of at least 20' });
    expect(await ask(25, 0.9)).toMatchObject({ verdict: 'pass' });
    expect(await ask(25, 0.7)).toMatchObject({ verdict: 'fail' });
  });

  test('refuses a placeholder that is none, in either query', () => {
    const atLeast = { query: 'count({window})', count: 1 };
    expect(prometheusRule.safeParse({ ...rule, atLeast }).success).toBe(true);
    const wrong = prometheusRule.safeParse({ ...rule, atLeast: { ...atLeast, query: '{minute}' } });
    expect(wrong.error?.issues.map(({ path }) => path)).toEqual([['atLeast', 'query']]);
  });
});
