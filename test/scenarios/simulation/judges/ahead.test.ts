import { expect, test } from '@jest/globals';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { NO_GATES } from '../situations/situation.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { newestIsOpened } from './ahead.ts';

const RED: Ordeal = {
  ...QUIET,
  alarms: [{ verdict: 'fail', fromSecond: 0, seconds: 30 }],
  ahead: { version: 2, askedAfter: -1, wakesAfter: null, state: 'unknown' },
  policy: {
    ...QUIET.policy,
    onConflict: 'latest',
    verify: { ...NO_GATES, alarms: ['errors'] },
  },
};

test('one that never begins is noticed, unless a gate is red and it writes nothing', async () => {
  const run = await tryOrdeal(RED);
  const { outcome, calls } = run;
  const write = {
    operation: 'roll',
    rolloutId: 'rollout-1',
    endpointId: 'a',
    version: 2,
    at: 0,
  } as const;

  expect(outcome.reason).toBe('GateRed');
  expect(newestIsOpened(RED, run)).toEqual([]);
  expect(newestIsOpened(RED, { ...run, calls: [...calls, write] })).toHaveLength(1);
  const other = { ...outcome, reason: 'UpstreamTimeout' };
  expect(newestIsOpened(RED, { ...run, outcome: other })).toHaveLength(1);
});
