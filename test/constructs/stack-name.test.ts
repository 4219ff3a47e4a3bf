import { expect, test } from '@jest/globals';
import { stackName } from '../../lib/constructs/rollout-stack.ts';

test.each([
  [undefined, 'Steproll'],
  ['steproll', 'Steproll'],
  ['prod', 'Steproll-prod'],
  ['shop_prod', 'Steproll-shop-prod'],
])('the configuration named %s is the stack %s', (name, stack) => {
  expect(stackName(name === undefined ? {} : { name })).toBe(stack);
});
