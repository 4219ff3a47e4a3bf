import { describe, expect } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { runScenario } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

describe('a list that shows endpoints as they were', () => {
  test.each([10, 20, 40])(
    'H07: for %i s in mid-roll is neither a regress nor somebody else',
    async (staleSeconds) => {
      let old: readonly Endpoint[] = [];
      const run = await runScenario({
        endpoints: 3,
        rollSeconds: 120,
        faults: {
          onList: (read) => {
            const seconds = secondsSinceStart();
            if (seconds < 1) old = read();
            return seconds > 20 && seconds < 20 + staleSeconds ? old : read();
          },
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
      expect(run.rolled).toHaveLength(3);
    },
  );
});

test('H07: a loss that was tolerated, and is on its way again, is waited for', async () => {
  const run = await runScenario({
    endpoints: 4,
    broken: [{ endpoint: 'endpoint-04', kind: 'slow', rollSeconds: 150 }],
    policy: {
      waves: [{ percent: 100 }],
      maxUnavailable: { percent: 100 },
      failureThreshold: { endpoints: 1 },
      bakeSeconds: 120,
      progressDeadlineSeconds: 300,
    },
    faults: {
      onList: (read) => {
        const seconds = secondsSinceStart();
        if (seconds < 28 || seconds > 88) return read();
        return read().map((one) =>
          one.name === 'endpoint-04' ? { ...one, status: 'UPDATE_FAILED' } : one,
        );
      },
    },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
  expect(run.stopped).toEqual([]);
});

test('an endpoint that failed on its way to the version before is rolled again', async () => {
  let isRolled = false;
  const run = await runScenario({
    endpoints: 1,
    faults: {
      onList: (read) =>
        read().map((one) =>
          isRolled ? one : { ...one, targetVersion: 2, status: 'UPDATE_FAILED' },
        ),
      onRoll: (carryOut) => {
        isRolled = true;
        return carryOut();
      },
    },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(run.rolled).toEqual(['endpoint-01']);
});

test('H23: versions that are not told in the bake are no evidence against a wave', async () => {
  const run = await runScenario({
    endpoints: 1,
    policy: { onFailure: 'roll-back' },
    faults: {
      onList: (read) => {
        const seconds = secondsSinceStart();
        if (seconds < 60 || seconds > 200) return read();
        return read().map((one) => ({ ...one, targetVersion: null, liveVersion: null }));
      },
    },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(run.rolledBack).toEqual([]);
});

describe('H11: a roll that was lost, and old answers that show the version of before', () => {
  const noAnswer = () => {
    throw new SteprollError(ErrorName.OutcomeUnknown, 'connection reset');
  };

  test.each<[string, (carryOut: () => Endpoint) => Endpoint | null]>([
    ['without an answer', noAnswer],
    ['accepted without a word, and not carried out', () => null],
  ])(
    'a roll back %s is made once more: nothing is called back that is not',
    async (_what, loses) => {
      let first: readonly Endpoint[] = [];
      let lostAt = Number.POSITIVE_INFINITY;
      const run = await runScenario({
        endpoints: 3,
        policy: {
          onFailure: 'roll-back',
          waves: [{ percent: 100 }],
          maxUnavailable: { percent: 100 },
        },
        broken: [{ endpoint: 'endpoint-03', kind: 'fail' }],
        faults: {
          onList: (read, nth) => {
            if (nth === 1) first = read();
            const seconds = secondsSinceStart();
            return seconds > lostAt && seconds <= lostAt + 12 ? first : read();
          },
          onRoll: (carryOut, { nth }) => {
            if (nth !== 2) return carryOut();
            lostAt = secondsSinceStart();
            return loses(carryOut);
          },
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
      for (const endpoint of run.endpoints.values()) {
        expect(endpoint).toMatchObject({ targetVersion: 1, liveVersion: 1 });
      }
    },
  );

  test('a roll without an answer, of an endpoint that had been on the version, is made once more', async () => {
    let lostAt = Number.POSITIVE_INFINITY;
    const run = await runScenario({
      endpoints: 3,
      policy: { bakeSeconds: 0 },
      faults: {
        onList: (read) => {
          const seconds = secondsSinceStart();
          const isOld = seconds > lostAt && seconds <= lostAt + 12;
          return isOld
            ? read().map((one) => ({ ...one, targetVersion: 2, liveVersion: 2 }))
            : read();
        },
        onRoll: (carryOut, { nth }) => {
          if (nth !== 1) return carryOut();
          lostAt = secondsSinceStart();
          return noAnswer();
        },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    for (const endpoint of run.endpoints.values()) {
      expect(endpoint).toMatchObject({ targetVersion: 2, liveVersion: 2 });
    }
  });

  test('an endpoint that was not rolled, because an old list showed it there, is rolled', async () => {
    const run = await runScenario({
      endpoints: 3,
      policy: { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 }, bakeSeconds: 0 },
      faults: {
        onList: (read, nth) =>
          read().map((one) =>
            nth > 2 && nth < 7 && one.name === 'endpoint-01'
              ? { ...one, targetVersion: 2, liveVersion: 2 }
              : one,
          ),
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    for (const endpoint of run.endpoints.values()) expect(endpoint.liveVersion).toBe(2);
  });
});
