import { expect, test } from '@jest/globals';
import { createRetryBudget } from '../../../lib/adapters/http/retry.ts';

test('H16: a single call may retry', () => {
  const budget = createRetryBudget();
  budget.earn();
  expect([budget.spend(), budget.spend()]).toEqual([true, true]);
});

test('H16: retries add 10 % to the calls once the first credit is used up', () => {
  const budget = createRetryBudget();
  while (budget.spend()) {}
  let retries = 0;
  for (let call = 0; call < 1_000; call += 1) {
    budget.earn();
    retries += Number(budget.spend());
  }
  expect(retries).toBe(100);
});

test('H16: what is not used is not saved up without end', () => {
  const budget = createRetryBudget();
  for (let call = 0; call < 10_000; call += 1) {
    budget.earn();
  }
  let retries = 0;
  while (budget.spend()) {
    retries += 1;
  }
  expect(retries).toBe(10);
});
