import { describe, expect } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { runScenario } from '../support/run-scenario.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

/** The service shows this number of replicas for the endpoints that are live on version 2. */
function withReplicas(replicas: number | null, names?: readonly string[]) {
  return (read: () => readonly Endpoint[]): readonly Endpoint[] =>
    read().map((one) => {
      const isMeant = names === undefined || names.includes(one.name ?? '');
      return one.liveVersion === 2 && isMeant ? { ...one, replicas } : one;
    });
}

describe('what is live on the version, and has', () => {
  testWithStops('no replicas, is no success, and is not stopped', async () => {
    const run = await runScenario({ faults: { onList: withReplicas(0) } });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'none' });
    expect(run.outcome.message).toContain(
      'endpoint-01 is not live on version 2 (with 0 replicas).',
    );
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.stopped).toEqual([]);
  });

  test('no replicas in one of two, is counted among those that are not live', async () => {
    const run = await runScenario({
      endpoints: 2,
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      policy: { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
      faults: { onList: withReplicas(0) },
    });

    expect(run.outcome.message).toContain(
      'endpoint-01 and endpoint-02 are not live on version 2 (one of them with 0 replicas).',
    );
  });

  test('no replicas, goes back with roll-back', async () => {
    const run = await runScenario({
      policy: { onFailure: 'roll-back' },
      faults: { onList: withReplicas(0, ['endpoint-02']) },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(run.endpoints.get('endpoint-02')).toMatchObject({ liveVersion: 1 });
  });

  test('no replicas from the start, is no version that it is at already', async () => {
    const run = await runScenario({
      endpoints: [
        { name: 'web-1', version: 2 },
        { name: 'web-2', version: 2 },
      ],
      faults: { onList: withReplicas(0, ['web-1']) },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled' });
    expect(run.rolled).toEqual([]);
    expect(run.stopped).toEqual([]);
  });

  test('lost its replicas in the bake, has regressed', async () => {
    let isDark = false;
    const run = await runScenario({
      faults: { onList: (read) => (isDark ? withReplicas(0)(read) : read()) },
      beside: async (stage) => {
        await stage.until(100);
        isDark = true;
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'LiveRegressed' });
    expect(run.outcome.message).toContain(
      'endpoint-01 is no longer healthy on version 2 (with 0 replicas).',
    );
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.stopped).toEqual([]);
  });

  test.each([1, null])(
    'fewer replicas than before, or a number that is not told, has converged: %p',
    async (replicas) => {
      const run = await runScenario({ faults: { onList: withReplicas(replicas) } });

      expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
    },
  );
});

test('one that had no replicas before goes back to where it was, and keeps nobody', async () => {
  const run = await runScenario({
    endpoints: 3,
    policy: {
      onFailure: 'roll-back',
      waves: [{ percent: 100 }],
      maxUnavailable: { endpoints: 1 },
    },
    faults: {
      onList: (read) =>
        read().map((one) => (one.name === 'endpoint-03' ? { ...one, replicas: 0 } : one)),
    },
  });

  expect(run.outcome).toMatchObject({
    outcome: 'Failed',
    reason: 'Stalled',
    cleanup: 'rolledBack',
  });
  for (const endpoint of run.endpoints.values()) expect(endpoint.liveVersion).toBe(1);
});
