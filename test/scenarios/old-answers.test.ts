import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint.ts';
import { runScenario } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/virtual-time.ts';

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
