import { describe, expect, test } from '@jest/globals';
import { askGates } from '../../lib/gates/ask-gates.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import { askedAt } from '../../lib/gates/gates.ts';
import { judgeMetric, type MetricQuestion, metricRule } from '../../lib/gates/metric-rule.ts';
import { prometheusRule } from '../../lib/gates/prometheus-rule.ts';
import { gatePortsOf } from '../support/gate-ports.ts';

const NOW = Date.UTC(2026, 10, 21, 9, 30, 30);
const START = { when: 'start', runtimeId: 'shop', desiredVersion: 2, now: NOW } as const;
const PROBE = { path: '/', hosts: ['*.example.com'] };

function rule(said: object) {
  return metricRule.parse({ namespace: 'Shop', metric: 'Errors', limit: { above: 5 }, ...said });
}

function query(said: object) {
  const url = 'https://prometheus.example.com';
  return prometheusRule.parse({ name: 'errors', url, query: 'sum(errors)', above: 5, ...said });
}

test('what can be asked before: alarms, and metrics and queries that are not of each endpoint; no probe', () => {
  const ofEach = rule({ dimensions: { Name: '{endpoint}' } });
  const namesOf = (verify: object) => askedAt({ ...verify }, ['start']).map(({ name }) => name);

  expect(namesOf({ probe: PROBE, alarms: ['a'], metrics: [ofEach] })).toEqual(['alarms']);
  expect(namesOf({ alarms: [], metrics: [ofEach, rule({})] })).toEqual(['metrics']);
  const ofEachQuery = query({ query: 'errors{name="{endpoint}"}' });
  expect(namesOf({ prometheus: [ofEachQuery] })).toEqual([]);
  expect(namesOf({ prometheus: [ofEachQuery, query({})] })).toEqual(['prometheus']);
});

describe('asked before anything is rolled', () => {
  async function ask(verify: object, values: readonly number[] = []) {
    const asked: MetricQuestion[] = [];
    const queries: string[] = [];
    const answer: GateAnswer = { verdict: 'fail', detail: 'ALARM', mend: 'Not told.' };
    const ports = gatePortsOf({
      alarm: async () => answer,
      metrics: async (questions) => {
        asked.push(...questions);
        return questions.map((question) => judgeMetric(question, [values, values]));
      },
      async prometheus(_, text) {
        queries.push(text);
        const result = values.map((value) => ({ value: [NOW / 1000, String(value)] }));
        return { json: { status: 'success', data: { resultType: 'vector', result } } };
      },
    });
    return { asked, queries, readings: await askGates({ ...verify }, START, ports) };
  }

  test('an alarm says what it is', async () => {
    const { readings } = await ask({ alarms: ['shop-5xx'] });
    expect(readings).toEqual([
      { kind: 'alarm', name: 'shop-5xx', verdict: 'fail', detail: 'ALARM' },
    ]);
  });

  test.each([60, 300, 3_600])(
    'a metric is judged in its last whole period of %d s',
    async (periodSeconds) => {
      const metrics = [rule({ periodSeconds }), rule({ dimensions: { Name: '{endpoint}' } })];
      const { asked, readings } = await ask({ metrics }, [6]);

      expect(readings).toMatchObject([{ kind: 'metric', name: 'Errors', verdict: 'fail' }]);
      const [{ from, to } = { from: 0, to: 0 }, ...others] = asked;
      expect(others).toEqual([]);
      expect(to - from).toBe(periodSeconds * 1000);
      const late = NOW - 120_000 - to;
      expect(late >= 0 && late < periodSeconds * 1000).toBe(true);
    },
  );

  test('a query is asked once, for the version to roll to and the last 5 minutes', async () => {
    const text = 'sum(rate(errors{version="{version}",runtime="{runtime}"}[{window}]))';
    const ofEach = query({ name: 'each', query: 'errors{name="{endpoint}"}' });
    const prometheus = [query({ query: text }), ofEach];
    const { queries, readings } = await ask({ prometheus }, [6]);

    expect(queries).toEqual(['sum(rate(errors{version="2",runtime="shop"}[300s]))']);
    expect(readings).toMatchObject([{ kind: 'query', name: 'errors', verdict: 'fail' }]);
  });

  test('no data is never red, whatever it counts as in a wave', async () => {
    const per = { metric: 'Invocations', noData: 'fail' };
    const metrics = [rule({ noData: 'fail' }), rule({ per })];
    const { readings } = await ask({ metrics, prometheus: [query({ noData: 'fail' })] });

    expect(readings.map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  test('a count that more time may mend is not red', async () => {
    const { readings } = await ask({ metrics: [rule({ limit: { below: 100 } })] }, [6]);
    expect(readings).toMatchObject([{ verdict: 'unknown' }]);
  });
});
