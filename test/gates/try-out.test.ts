import { describe, expect, test } from '@jest/globals';
import { alarms } from '../../lib/gates/alarms.ts';
import type { GateAnswer, TrialSubject } from '../../lib/gates/gate.ts';
import { type MetricPort, metrics } from '../../lib/gates/metrics.ts';
import { metricRule } from '../domain/examples.ts';

const SUBJECT: TrialSubject = {
  ...{ runtimeId: 'shop', desiredVersion: 3, endpoints: ['web-1'] },
  now: Date.parse('2026-03-01T12:00Z'),
};

describe('alarms that nobody can read', () => {
  test('are those that a person has to mend; each is read once', async () => {
    const read: string[] = [];
    const answers: Readonly<Record<string, GateAnswer>> = {
      fine: { verdict: 'pass', detail: 'OK' },
      young: { verdict: 'unknown', detail: 'INSUFFICIENT_DATA' },
      gone: { verdict: 'unknown', detail: 'no such alarm', mend: 'Create it.' },
      lost: { verdict: 'unknown', detail: 'no such alarm', mend: 'Create it.' },
    };
    const alarm = async (name: string) => {
      read.push(name);
      return answers[name] as GateAnswer;
    };
    const names = ['fine', 'gone', 'young', 'lost'];
    expect(await alarms.tryOut?.(names, SUBJECT, { alarm })).toEqual({
      faults: ['verify.alarms, gone, lost: no such alarm. Create it.'],
      found: 'fine is OK; young is INSUFFICIENT_DATA',
    });
    expect(read).toEqual(names);
  });
});

describe('metrics that nobody can read', () => {
  const denied: GateAnswer = { verdict: 'unknown', detail: 'AccessDenied', mend: 'Ask for it.' };
  const silent: GateAnswer = { verdict: 'unknown', detail: 'no data' };
  const rules = [
    metricRule(),
    metricRule({ metric: 'Requests', dimensions: { Resource: '{runtime}:{version}' } }),
  ];
  const read = async (...answers: GateAnswer[]) => {
    const asked: unknown[] = [];
    const port: MetricPort = {
      metrics: async (questions) => {
        asked.push(...questions.map(({ rule }) => Object.values(rule.dimensions)));
        return answers;
      },
    };
    return { asked, ...(await metrics.tryOut?.(rules, SUBJECT, port)) };
  };

  test('are those that a person has to mend; each is read once for each endpoint', async () => {
    expect(await read(denied, denied)).toEqual({
      asked: [['web-1'], ['shop:3']],
      faults: ['verify.metrics, Errors of web-1, Requests: AccessDenied. Ask for it.'],
    });
  });

  test('are not those without data, which may come', async () => {
    expect(await read(silent, silent)).toMatchObject({
      faults: [],
      silent: 'metric Errors of web-1: no data; metric Requests: no data',
    });
  });
});
