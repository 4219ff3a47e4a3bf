import { describe, expect, test } from '@jest/globals';
import { openSqliteLedger } from '../../../lib/adapters/ledger/sqlite-ledger.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/defaults.ts';
import { type Effort, estimateEffort } from '../../../lib/domain/plan/estimate-effort.ts';
import { simulateRollout } from '../../bench/cost/simulate-rollout.ts';
import { openedOf } from '../../support/record-at.ts';
import { type Run, runScenario } from '../../support/run-scenario.ts';
import { planOf } from '../examples.ts';

describe('what a rollout will take', () => {
  test('is written down as a formula', () => {
    // 5 rounds in 5 batches, 13 + 4 x 3 polls, 3 x 5 looks.
    const plan = planOf([1, 24, 75], { maxUnavailable: 33 });
    expect(estimateEffort(plan, DEFAULT_POLICY, 60)).toEqual({
      rolls: 100,
      listReads: 2 + 25 + 15 + 5,
      transitions: 2 + 5 + 5 + 3 * 25 + 3 * 15 + 3,
      lambdaCalls: 1 + 5 + 25 + 15 + 1,
    });
  });

  test.each([1, 10, 100, 1_000])(
    'is what a rollout of %i endpoints takes, to the last call, where every roll takes as long as said',
    async (endpoints) => {
      const { ledger, end } = openSqliteLedger(':memory:');
      const { states, payloads, sweeps, writes } = await simulateRollout(endpoints, 60, ledger);
      const { plan } = await ledger.read('rollout-1');
      end();
      expect(plan && estimateEffort(plan, DEFAULT_POLICY, 60)).toEqual({
        rolls: writes,
        listReads: sweeps,
        transitions: states.length,
        lambdaCalls: payloads.length,
      });
    },
  );

  test.each([
    { rollSeconds: 3, policy: {} },
    { rollSeconds: 20, policy: { bakeSeconds: 0 } },
    { rollSeconds: 45, policy: { bakeSeconds: 3600, maxUnavailable: { endpoints: 2 } } },
    { rollSeconds: 240, policy: { pollSeconds: 10, maxPollSeconds: 10 } },
    { rollSeconds: 500, policy: { maxUnavailable: { percent: 100 } } },
  ])('is within a tenth of what a scenario takes, or within 3: %p', async (script) => {
    const run = await runScenario(script);
    const { plan, request } = openedOf(run.record);
    const estimate = plan && request && estimateEffort(plan, request.policy, script.rollSeconds);
    expect(farOff(estimate as Effort, countsOf(run))).toEqual([]);
  });
});

function countsOf({ states, calls, rolled }: Run): Effort {
  const count = (pattern: RegExp) => states.filter((state) => pattern.test(state)).length;
  return {
    rolls: rolled.length,
    listReads: calls.filter(({ operation }) => operation === 'list').length,
    transitions: states.length,
    lambdaCalls: count(/^(Open rollout|Roll batch|Check wave|Verify wave|Close rollout)$/),
  };
}

const TOLERANCE = 0.1;
const FEW = 3;

function farOff(estimate: Effort, counted: Effort): string[] {
  return Object.entries(counted).flatMap(([name, count]) => {
    const guess = estimate[name as keyof Effort];
    const isNear = Math.abs(guess - count) <= Math.max(FEW, count * TOLERANCE);
    return isNear ? [] : [`${name}: ${guess} instead of ${count}`];
  });
}
