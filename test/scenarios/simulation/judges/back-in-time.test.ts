import { expect, test } from '@jest/globals';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { NO_GATES } from '../situations/situation.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { goesBackInTime } from './back-in-time.ts';

const BAKED: Ordeal['policy'] = { ...QUIET.policy, bakeSeconds: 120, onFailure: 'roll-back' };

test.each<[what: string, drawn: Partial<Ordeal>]>([
  [
    'a gate has said no again',
    {
      alarms: [{ verdict: 'fail', fromSecond: 20, seconds: 900 }],
      policy: { ...BAKED, verify: { ...NO_GATES, alarms: ['errors'] } },
    },
  ],
  [
    'an endpoint is seen failed again',
    {
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'crash', afterSeconds: 15 }],
      policy: BAKED,
    },
  ],
])('a way back that begins a minute after %s is noticed', async (_, drawn) => {
  const ordeal = { ...QUIET, ...drawn };
  const run = await tryOrdeal(ordeal);
  const { turnedAt } = run;
  const calls = run.calls.map((call) => {
    const isBack = call.operation === 'roll' && call.at >= (turnedAt ?? Number.POSITIVE_INFINITY);
    return isBack ? { ...call, at: call.at + 60_000 } : call;
  });

  expect(run.outcome.cleanup).toBe('rolledBack');
  expect(goesBackInTime(ordeal, run)).toEqual([]);
  expect(goesBackInTime(ordeal, { ...run, calls })).toHaveLength(1);
});
