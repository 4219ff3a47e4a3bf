import { expect, test } from '@jest/globals';
import { activePlan } from '../../../lib/domain/rollout/record.ts';
import { planBackOf, planOf } from '../examples.ts';

const forward = planOf([2]);
const back = planBackOf(2);
const cause = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;

test('the plan is followed until there is a way back, and then that', () => {
  expect(activePlan({ plan: null, rollback: null })).toBeNull();
  expect(activePlan({ plan: forward, rollback: null })).toBe(forward);
  expect(activePlan({ plan: forward, rollback: { cause, seen: [], plan: back } })).toBe(back);
});
