import { describe, expect, test } from '@jest/globals';
import { alarms } from '../../lib/gates/alarms.ts';
import { tryGate } from '../../lib/gates/ask-gates.ts';
import { checks } from '../../lib/gates/checks.ts';
import type { GateAnswer, TrialQuestion } from '../../lib/gates/gate.ts';
import { type MetricPort, metrics } from '../../lib/gates/metrics.ts';
import { metricRule } from '../domain/examples.ts';
import { gatePortsOf } from '../support/gate-ports.ts';

const TRIAL: TrialQuestion = {
  when: 'trial',
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
    const asked = { name: 'alarms', gate: alarms, said: names };
    expect(await tryGate(asked, TRIAL, gatePortsOf({ alarm }))).toEqual({
      faults: ['verify.alarms, gone, lost: no such alarm. Create it.'],
      silent: undefined,
      found: 'alarm fine: OK; alarm young: INSUFFICIENT_DATA',
    });
    expect(read).toEqual(names);
  });
});

describe('commands that nobody can run', () => {
  test('are those whose program is known not to be there', async () => {
    const command = (name: string) => ({ name, command: [name] });
    const said = checks.schema.parse([
      ...[command('there'), command('gone'), command('unknown')],
      { name: 'lambda', lambda: 'arn:aws:lambda:eu-west-1:123456789012:function:smoke' },
    ]);
    const known: Readonly<Record<string, boolean>> = { there: true, gone: false };
    const ports = gatePortsOf({ hasProgram: async (program) => known[program] });
    expect(await tryGate({ name: 'checks', gate: checks, said }, TRIAL, ports)).toEqual({
      faults: [expect.stringMatching(/^verify\.checks, gone: there is no program gone to run\. /)],
      silent: undefined,
      found: 'check there: it runs there',
    });
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
    return {
      asked,
      ...(await tryGate({ name: 'metrics', gate: metrics, said: rules }, TRIAL, gatePortsOf(port))),
    };
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
