import { expect, test } from '@jest/globals';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import { readPastRolls } from '../../../lib/steps/opening/past-rolls.ts';
import { recordOf } from '../../domain/examples.ts';

const outcomeOf = (outcome: Outcome['outcome'], rollMs?: number): Outcome => ({
  ...{ outcome, cleanup: 'none', reason: 'Because', message: '' },
  ...(rollMs !== undefined && { rollMs }),
});

/** A ledger of rollouts, the newest first. */
function ledgerOf(outcomes: readonly Outcome[]) {
  return {
    async list({ limit }: { limit: number }) {
      const { request, ...record } = recordOf();
      return outcomes.slice(0, limit).map((outcome) => ({ ...request, ...record, outcome }));
    },
  };
}

test('the newest five that know how long a roll took are learned from', async () => {
  const ledger = ledgerOf([
    outcomeOf('Failed'),
    outcomeOf('Succeeded', 10_000),
    outcomeOf('Succeeded'),
    ...[20_000, 30_000, 40_000, 50_000, 60_000].map((ms) => outcomeOf('Succeeded', ms)),
  ]);
  expect(await readPastRolls('shop', ledger)).toEqual([10_000, 20_000, 30_000, 40_000, 50_000]);
});

test('without a past there is nothing to learn from', async () => {
  expect(await readPastRolls('shop', ledgerOf([]))).toEqual([]);
});
