import { expect, test } from '@jest/globals';
import { endRollback } from '../../../lib/domain/decision/decision.ts';
import { planBackOf } from '../examples.ts';

test('a rollout that was rolled back ends for the reason that it failed for', () => {
  const cause = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;
  expect(endRollback({ rollback: { cause, seen: [], plan: planBackOf(1) } })).toEqual({
    next: 'close',
    ending: cause,
  });
});

test('without a reason in the ledger nobody knows', () => {
  expect(endRollback({ rollback: null })).toMatchObject({
    next: 'close',
    ending: { outcome: 'Errored', reason: 'IncompatibleState' },
  });
});
