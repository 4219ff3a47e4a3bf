import { expect, test } from '@jest/globals';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { waitsForItsList } from './opening.ts';

test('an opening that waits for its list beyond the deadline is noticed', async () => {
  const silent: Ordeal = {
    ...QUIET,
    lists: [{ kind: 'UpstreamTimeout', fromSecond: 0, seconds: 300 }],
  };
  const run = { ...(await runScenario(toScript(silent))), haltedAt: null, holds: [] };
  const last = run.calls.findLastIndex(({ operation }) => operation === 'list');
  const late = run.calls.map((call, index) => {
    return index >= last ? { ...call, at: call.at + 1000 } : call;
  });

  expect(run.outcome.reason).toBe('UpstreamTimeout');
  expect(waitsForItsList(silent, run)).toEqual([]);
  expect(waitsForItsList(silent, { ...run, calls: late })).toEqual([
    'it waited for its list for 91 s',
  ]);
});
