import { expect, test } from '@jest/globals';
import { readPastRolls } from '../../../lib/cli/rollout/preview.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { planOf, recordOf } from '../../domain/examples.ts';

const outcomeOf = (outcome: Outcome['outcome']): Outcome => ({
  outcome,
  cleanup: 'none',
  reason: 'Because',
  message: '',
});

/** A ledger of one-wave rollouts that took so many seconds besides their bake, the newest first. */
function ledgerOf(rollouts: readonly (readonly [Outcome['outcome'], number])[]) {
  const reads: string[] = [];
  const records = rollouts.map(([outcome, seconds], index): RolloutRecord => {
    const { request, ...record } = recordOf();
    return {
      ...record,
      request: { ...request, rolloutId: `r${index}` },
      plan: planOf([1]),
      endedAt: (300 + seconds) * 1000,
      outcome: outcomeOf(outcome),
    };
  });
  return {
    reads,
    async list({ limit }: { limit: number }) {
      return records.slice(0, limit).map(({ request, ...record }) => ({ ...record, ...request }));
    },
    async read(rolloutId: string) {
      reads.push(rolloutId);
      const record = records.find(({ request }) => request.rolloutId === rolloutId);
      if (record === undefined) throw new SteprollError(ErrorName.RolloutNotFound, rolloutId);
      return record;
    },
  };
}

test('the newest five that succeeded are learned from, and no others are read', async () => {
  const ledger = ledgerOf([
    ['Failed', 7],
    ['Succeeded', 10],
    ['Aborted', 7],
    ['Succeeded', 20],
    ['Succeeded', 30],
    ['Succeeded', 40],
    ['Succeeded', 50],
    ['Succeeded', 60],
  ]);
  const rolls = await readPastRolls('shop', ledger);
  // Two looks, 5 s apart, must agree.
  expect(rolls.map(Math.round)).toEqual([5, 15, 25, 35, 45]);
  expect(ledger.reads).toEqual(['r1', 'r3', 'r4', 'r5', 'r6']);
});

test('without a past there is nothing to learn from', async () => {
  expect(await readPastRolls('shop', ledgerOf([]))).toEqual([]);
});
