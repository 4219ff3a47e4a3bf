import { expect, test } from '@jest/globals';
import type { FailurePolicy } from '../../../../lib/domain/rollout/policy.ts';
import { acquitted } from '../corpus.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { cleanupIsExact } from './cleanup.ts';

/** Its list cannot be read any more once its endpoint is live, and then it is told what to do with it. */
const UNREAD: Ordeal = {
  ...QUIET,
  rollSeconds: 20,
  lists: [{ kind: 'UnknownRuntime', fromSecond: 21, seconds: 900 }],
  word: { said: 'roll-back', at: 'close', nth: 1 },
  policy: { ...QUIET.policy, progressDeadlineSeconds: 180 },
};

test('a cleanup that misses nothing and says so is noticed', async () => {
  const run = await tryOrdeal(UNREAD);
  const told = (onFailure: FailurePolicy) => {
    const signals = run.record?.signals.map((signal) => ({ ...signal, onFailure }));
    return { ...run, record: run.record && { ...run.record, signals: signals ?? [] } };
  };

  expect(run.outcome.cleanup).toBe('incomplete');
  expect(cleanupIsExact(UNREAD, told('roll-back'))).toEqual([]);
  expect(cleanupIsExact(UNREAD, told('stop-old'))).toEqual([
    `nothing is left to do: ${run.outcome.message}`,
  ]);
});

test.each([
  ['taken over', 'another one takes it over when all its endpoints look live', 'LeaseLost'],
  [
    'cut off',
    'an error cuts it off when its endpoint looks live, which would have gone back',
    'UnknownRuntime',
  ],
])(
  'whoever is %s when everything looks live misses nothing, unless it was to go back',
  async (_, shows, reason) => {
    const ordeal = acquitted(shows);
    const run = await tryOrdeal(ordeal);
    const { outcome } = run;
    const judged = (onFailure: FailurePolicy, reason = outcome.reason) =>
      cleanupIsExact(
        { ...ordeal, policy: { ...ordeal.policy, onFailure } },
        { ...run, outcome: { ...outcome, reason } },
      );
    const objection = [`nothing is left to do: ${outcome.message}`];

    expect(outcome.reason).toBe(reason);
    expect(judged('roll-back')).toEqual([]);
    expect(judged('stop-old')).toEqual(objection);
    expect(judged('roll-back', 'UpstreamTimeout')).toEqual(objection);
  },
);
