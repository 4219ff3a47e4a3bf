import { describe, expect, test } from '@jest/globals';
import { type Endpoint, SAID } from '../../lib/domain/endpoint/endpoint.ts';
import type { Verification } from '../../lib/domain/rollout/policy.ts';
import { askGates } from '../../lib/gates/ask-gates.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import { nameOfMetric } from '../../lib/gates/metric-rule.ts';
import type { Probe } from '../../lib/gates/probe.ts';
import { wavesToAsk } from '../../lib/steps/io/ask-waves.ts';
import {
  BAKE_SECONDS,
  live,
  metricRule,
  planOf,
  progressOf,
  recordOf,
  seen,
} from '../domain/examples.ts';
import { gatePortsOf } from '../support/gate-ports.ts';

const PROBE: Probe = {
  path: '/healthz',
  status: 200,
  tries: 3,
  timeoutSeconds: 5,
  hosts: ['*.example.com'],
  privateNetwork: false,
};
const ALL: Verification = {
  probe: PROBE,
  alarms: ['errors', 'latency'],
  metrics: [],
  approval: null,
};
const converged = seen('converged', 2);
const plan = planOf([1, 3]);

const withUrl = (id: string) => live(id, { url: `https://${id}.example` });
const fleet = [...plan.ids, 'web-9'].map(withUrl);

/** Asks the gates of the second wave; `answers` are by URL or alarm, one for each time. */
async function ask(
  answers: Readonly<Record<string, GateAnswer['verdict'][]>>,
  verify: Partial<Verification> = {},
  endpoints: readonly Endpoint[] = fleet,
  observations = [converged, converged, converged, converged],
  bakedSeconds = BAKE_SECONDS,
) {
  const asked: string[] = [];
  const answer = async (name: string): Promise<GateAnswer> => {
    const times = asked.filter((each) => each === name).length;
    asked.push(name);
    return { verdict: answers[name]?.[times] ?? 'pass', detail: `answer ${times + 1}` };
  };
  const gates = gatePortsOf({
    probe: answer,
    alarm: answer,
    metrics: (questions) => Promise.all(questions.map((one) => answer(nameOfMetric(one)))),
  });
  const progress = progressOf(1, observations, {
    bakedMs: bakedSeconds * 1000,
    readAt: bakedSeconds * 1000,
    converged: { at: 0, watched: 0 },
  });
  const record = recordOf([], { verify: { ...ALL, ...verify } });
  const readings = await askGates(
    record.request.policy.verify,
    wavesToAsk({ record, plan, progress, endpoints }, true).asked,
    gates,
  );
  const verdicts = readings.map(({ kind, name, verdict }) => `${kind} ${name}: ${verdict}`);
  return { asked: asked.toSorted(), readings, verdicts: verdicts.toSorted() };
}

describe('askGates', () => {
  test('asks the endpoints that have converged, once each, and every alarm', async () => {
    const { asked, verdicts } = await ask({ latency: ['fail'] });

    expect(asked).toEqual([
      'errors',
      'https://web-1.example',
      'https://web-2.example',
      'https://web-3.example',
      'https://web-4.example',
      'latency',
    ]);
    expect(verdicts).toEqual([
      'alarm errors: pass',
      'alarm latency: fail',
      'probe web-1: pass',
      'probe web-2: pass',
      'probe web-3: pass',
      'probe web-4: pass',
    ]);
  });

  test('asks under the words of the service, and tells what is hidden in them to nobody', async () => {
    const said = { name: 'web-canary', url: 'https://web-canary.example', status: 'OK' };
    const shown = { name: 'web-[hidden]', url: 'https://web-[hidden].example', [SAID]: said };
    const rule = metricRule({ delaySeconds: 0, periodSeconds: 60 });
    const endpoints = fleet.map((one) => (one.id === 'web-2' ? { ...one, ...shown } : one));
    const { asked, verdicts, readings } = await ask(
      { 'https://web-canary.example': ['unknown'] },
      { alarms: [], metrics: [rule] },
      endpoints,
    );

    expect(asked).toContain('https://web-canary.example');
    expect(asked).toContain('Errors of web-canary');
    expect(verdicts).toContain('metric Errors of web-[hidden]: pass');
    expect(verdicts).toContain('probe web-[hidden]: unknown');
    expect(JSON.stringify(readings)).not.toContain('canary');
  });

  test('asks nobody where nothing is to be verified', async () => {
    expect(await ask({}, { probe: null, alarms: [] })).toMatchObject({ asked: [], readings: [] });
  });

  test.each<[string, GateAnswer['verdict'][], GateAnswer['verdict'], number]>([
    ['a pass at once', ['pass'], 'pass', 1],
    ['a pass in the end', ['fail', 'fail', 'pass'], 'pass', 3],
    ['a no every time', ['fail', 'fail', 'fail', 'pass'], 'fail', 3],
    ['nothing, which is asked again later', ['unknown', 'pass'], 'unknown', 1],
  ])('a probe is tried so often at most: %s', async (_, answers, verdict, times) => {
    const url = 'https://web-2.example';
    const { asked, verdicts } = await ask({ [url]: answers });

    expect(asked.filter((each) => each === url)).toHaveLength(times);
    expect(verdicts).toContain(`probe web-2: ${verdict}`);
  });

  test('an endpoint that shows no URL cannot be asked, and that is no yes', async () => {
    const { asked, readings } = await ask({}, { alarms: [] }, [live('web-2'), withUrl('web-3')]);

    expect(asked).toEqual(['https://web-3.example']);
    expect(readings).toContainEqual({
      kind: 'probe',
      name: 'web-2',
      endpointId: 'web-2',
      verdict: 'unknown',
      detail: 'the service shows no URL',
    });
  });

  test('asks about a metric once, or once for each endpoint of the wave', async () => {
    const metrics = [metricRule(), metricRule({ metric: 'Depth', dimensions: {} })];

    const { asked, verdicts } = await ask(
      { 'Errors of web-3': ['fail'], Depth: ['unknown'] },
      { probe: null, alarms: [], metrics },
    );

    expect(asked).toEqual([
      'Depth',
      'Errors of web-1',
      'Errors of web-2',
      'Errors of web-3',
      'Errors of web-4',
    ]);
    expect(verdicts).toEqual([
      'metric Depth: unknown',
      'metric Errors of web-1: pass',
      'metric Errors of web-2: pass',
      'metric Errors of web-3: fail',
      'metric Errors of web-4: pass',
    ]);
  });

  test('a metric whose first whole period is not in yet is not asked, and that is no yes', async () => {
    const verify = { probe: null, alarms: [], metrics: [metricRule({ dimensions: {} })] };
    // At time 0 the wave has converged, so its first period is in after 60 s and the delay of 120 s.
    const bakedFor = (bakedSeconds: number) => ask({}, verify, fleet, undefined, bakedSeconds);

    expect(await bakedFor(179)).toMatchObject({ asked: [], verdicts: ['metric Errors: unknown'] });
    expect(await bakedFor(180)).toMatchObject({
      asked: ['Errors'],
      verdicts: ['metric Errors: pass'],
    });
  });

  test('an endpoint that is lost within the failure threshold is not asked', async () => {
    const lost = [converged, seen('failed', 2), converged, seen('missing', 3)];

    const { asked } = await ask({}, { alarms: [] }, fleet, lost);
    expect(asked).toEqual(['https://web-1.example', 'https://web-3.example']);
  });

  test('the error of a gate that answers first is told, and is not nobody’s while others are asked', async () => {
    const unheard: unknown[] = [];
    const hear = (error: unknown) => unheard.push(error);
    process.on('unhandledRejection', hear);
    try {
      const pass = (): GateAnswer => ({ verdict: 'pass', detail: '' });
      const later = () => new Promise<void>((resolve) => setTimeout(resolve, 20));
      const gates = gatePortsOf({
        probe: () => later().then(pass),
        alarm: () => Promise.reject(new Error('no such alarm')),
        metrics: (questions) => later().then(() => questions.map(pass)),
      });
      const progress = progressOf(1, [converged, converged, converged, converged]);
      const look = { record: recordOf([], { verify: ALL }), plan, progress, endpoints: fleet };
      const { asked: wave } = wavesToAsk({ ...look }, true);
      const asked = askGates(ALL, wave, gates);
      await expect(asked).rejects.toThrow('no such alarm');
      expect(unheard).toEqual([]);
    } finally {
      process.off('unhandledRejection', hear);
    }
  });
});
