import { expect, test } from '@jest/globals';
import { isList } from '../../../../lib/rehearsal/calls.ts';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { silenceIsNoReason } from './pace.ts';
import { listHasItsTime } from './waited-for.ts';

test('a roll that is sent once more for a list without targets is noticed', async () => {
  const lost: Ordeal = {
    ...QUIET,
    policy: { ...QUIET.policy, progressDeadlineSeconds: 600 },
    writes: [{ operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 }],
  };
  const run = await runScenario(toScript(lost));
  const silent = run.calls.map((call) => {
    if (!isList(call)) return call;
    const endpoints = call.endpoints?.map((one) => ({ ...one, targetVersion: null })) ?? null;
    return { ...call, endpoints };
  });

  expect(run.outcome.reason).toBe('Converged');
  expect(silenceIsNoReason(lost, run)).toEqual([]);
  expect(silenceIsNoReason(lost, { ...run, calls: silent })).toHaveLength(1);
});

test('a rollout that gives up a list before its deadline is noticed', async () => {
  const silent: Ordeal = {
    ...QUIET,
    lists: [{ kind: 'UpstreamTimeout', fromSecond: 6, seconds: 300 }],
  };
  const run = await runScenario(toScript(silent));
  const { record } = run;
  const early = record && { ...record, endedAt: Number(record.endedAt) - 30_000 };

  expect(run.outcome.reason).toBe('UpstreamTimeout');
  expect(listHasItsTime(silent, run)).toEqual([]);
  expect(listHasItsTime(silent, { ...run, record: early })).toHaveLength(1);
});
