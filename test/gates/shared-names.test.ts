import { expect, test } from '@jest/globals';
import { askGates } from '../../lib/gates/ask-gates.ts';
import { metricRule } from '../../lib/gates/metric-rule.ts';
import { live } from '../domain/examples.ts';
import { gatePortsOf } from '../support/gate-ports.ts';

test('what a metric says of two endpoints with one name accuses both, and not one of them twice', async () => {
  const metric = metricRule.parse({
    ...{ namespace: 'Shop', metric: 'Errors', statistic: 'Sum', limit: { above: 1 } },
    ...{ dimensions: { Endpoint: '{endpoint}' }, periodSeconds: 60, delaySeconds: 0 },
  });
  const endpoints = ['e1', 'e2'].map((id) => live(id, { name: 'web', sharesName: true }));
  const request = { rolloutId: 'r', runtimeId: 'shop', desiredVersion: 2 };
  const readings = await askGates(
    { metrics: [metric], approval: null },
    {
      ...{ request, endpoints, settled: endpoints, wave: 1, previousVersions: new Map(), kept: [] },
      ...{
        since: 0,
        now: 600_000,
        when: 'bake-end' as const,
        bakedMs: 600_000,
        watched: 600_000,
        noes: [],
      },
    },
    gatePortsOf({
      metrics: async (questions) => questions.map(() => ({ verdict: 'fail', detail: '5' })),
    }),
  );
  expect(readings.map(({ name, endpointId }) => `${name}: ${endpointId}`)).toEqual([
    'Errors of web (e1): e1',
    'Errors of web (e2): e2',
  ]);
});
