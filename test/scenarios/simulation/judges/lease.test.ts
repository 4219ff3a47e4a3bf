import { expect, test } from '@jest/globals';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { leaseLasts } from './lease.ts';

test('a rollout that goes on when its lease has run out is noticed', async () => {
  const run = await runScenario(toScript(QUIET));
  const short = run.leases.map((grant) => ({ ...grant, until: grant.at }));

  expect(leaseLasts(QUIET, run)).toEqual([]);
  expect(leaseLasts(QUIET, { ...run, leases: short.slice(0, 1) })).toEqual([
    expect.stringContaining('ms after its lease'),
  ]);
  expect(leaseLasts(SLEEPY, { ...run, leases: short.slice(0, 1) })).toEqual([]);
});

/** Its process may lose the lease. */
const SLEEPY: Ordeal = {
  ...QUIET,
  stall: { point: 1, at: 'any', when: 'before', seconds: 1, isRaced: false },
};
