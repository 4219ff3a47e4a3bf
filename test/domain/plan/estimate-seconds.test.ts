import { describe, expect, test } from '@jest/globals';
import { estimateSeconds, roundSecondsOf } from '../../../lib/domain/plan/estimate-seconds.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout.ts';
import { planOf, policyOf, recordOf } from '../examples.ts';

const PLAN = planOf([1, 3, 8], { maxUnavailable: 4 });

describe('how long a plan takes', () => {
  test.each([
    ['the one that there is', [90], 90],
    ['the one in the middle', [20, 300, 90], 90],
    ['between the two in the middle', [20, 100, 80, 4000], 90],
  ])('is its bakes, and for each round the median of the past: %s', (_, past, roundSeconds) => {
    expect(estimateSeconds(PLAN, past)).toEqual({
      seconds: 3 * 300 + 4 * roundSeconds,
      bakeSeconds: 900,
      rounds: 4,
      roundSeconds,
      learnedFrom: past.length,
    });
  });

  test('without a past a minute is assumed for a round, and it says so', () => {
    expect(estimateSeconds(PLAN, [])).toMatchObject({ roundSeconds: 60, learnedFrom: 0 });
  });

  test('of nothing to do is nothing', () => {
    expect(estimateSeconds(planOf([]), [90])).toMatchObject({ seconds: 0, rounds: 0 });
  });
});

describe('a round of a past rollout', () => {
  const past = (said: Partial<RolloutRecord> = {}): RolloutRecord => ({
    ...recordOf(),
    plan: PLAN,
    startedAt: 1_000_000,
    endedAt: 1_000_000 + (900 + 240) * 1000,
    outcome: { outcome: 'Succeeded', cleanup: 'none', reason: 'Converged', message: '' },
    ...said,
  });
  const approval = { timeoutSeconds: 60, onTimeout: 'reject' } as const;
  const failed = { outcome: 'Failed', cleanup: 'none', reason: 'Stalled', message: '' } as const;

  test('took what is left after the bakes, divided by the rounds', () => {
    expect(roundSecondsOf(past())).toBe(60);
  });

  test('never took less than nothing', () => {
    expect(roundSecondsOf(past({ endedAt: 1_000_000 }))).toBe(0);
  });

  test.each<[string, Partial<RolloutRecord>]>([
    ['it failed', { outcome: failed }],
    ['it goes on', { outcome: null, endedAt: null }],
    ['it had nothing to roll', { plan: planOf([]) }],
    ['it never had a plan', { plan: null }],
    [
      'it waited for people',
      {
        request: {
          ...recordOf().request,
          policy: policyOf({ verify: { ...policyOf().verify, approval } }),
        },
      },
    ],
  ])('teaches nothing where %s', (_, said) => {
    expect(roundSecondsOf(past(said))).toBeNull();
  });
});
