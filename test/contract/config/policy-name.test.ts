import { expect, test } from '@jest/globals';
import { describePolicyName } from '../../../lib/contract/config/policy-name.ts';

const POLICIES = { default: {}, edge: {} };

test.each([
  ['that is named', { shop: { policy: 'edge' } }, 'shop', 'Policy: edge.'],
  ['that names none', { shop: {} }, 'shop', 'Policy: default.'],
  ['where none is named', {}, 'shop', 'Policy: default.'],
  [
    'with a typo',
    { shpo: { policy: 'edge' } },
    'shop',
    'Policy: default, because runtimes does not name shop (did you mean shpo?).',
  ],
  ['that is a group', { shop: { policy: 'edge' } }, 'group:prod', null],
])('the policy of a runtime %s is told', (_, runtimes, runtimeId, told) => {
  expect(describePolicyName({ policies: POLICIES, runtimes }, runtimeId)).toBe(told);
});

test('without a configuration nothing is', () => {
  expect(describePolicyName({ policies: {}, runtimes: {} }, 'shop')).toBeNull();
});
