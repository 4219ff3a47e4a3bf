import { describe, expect, test } from '@jest/globals';
import { fingerprintOf } from '../../../lib/contract/flow/fingerprint.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import type { RolloutPlan } from '../../../lib/domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { planned, planOf } from '../../domain/examples.ts';

const plan: RolloutPlan = planOf([1, 2]);
const first = (said: Parameters<typeof planned>[1]) => ({
  ...plan,
  endpoints: [planned('web-1', said), ...plan.endpoints.slice(1)],
});

describe('fingerprintOf', () => {
  test('is short, the same for the same plan, and made to be copied', () => {
    const { waves, ...rest } = DEFAULT_POLICY;
    const reordered = { ...rest, waves };
    expect(fingerprintOf(planOf([1, 2]), DEFAULT_POLICY)).toBe(
      fingerprintOf(structuredClone(planOf([1, 2])), reordered),
    );
    expect(fingerprintOf(plan, DEFAULT_POLICY)).toMatch(/^[0-9a-f]{16}$/);
  });

  test.each<[string, RolloutPlan]>([
    ['one endpoint less', { ...plan, endpoints: plan.endpoints.slice(1) }],
    ['another order', { ...plan, endpoints: plan.endpoints.toReversed() }],
    ['another version to go to', first({ desiredVersion: 4 })],
    ['another version to come from', first({ previousVersion: 1 })],
    ['another target before', first({ previousTarget: 7 })],
    ['a failure before', first({ wrongBefore: ['failed'] })],
    ['other waves', { ...plan, waves: planOf([2, 1]).waves }],
    ['another bake', { ...plan, waves: plan.waves.map((w) => ({ ...w, bakeSeconds: 1 })) }],
    ['fewer at once', { ...plan, maxUnavailable: 1 }],
    ['more left out', { ...plan, leftOut: [{ endpointId: 'x', name: null, reason: 'stopped' }] }],
    ['the way back', { ...plan, direction: 'back' }],
  ])('tells plans apart: %s', (_, other) => {
    expect(fingerprintOf(other, DEFAULT_POLICY)).not.toBe(fingerprintOf(plan, DEFAULT_POLICY));
  });

  test.each<[string, Partial<RolloutPolicy>]>([
    ['another failure policy', { onFailure: 'hold' }],
    ['other protected endpoints', { protect: ['web-1'] }],
    ['another deadline', { progressDeadlineSeconds: 1 }],
  ])('tells apart how it is done: %s', (_, said) => {
    const other = fingerprintOf(plan, { ...DEFAULT_POLICY, ...said });
    expect(other).not.toBe(fingerprintOf(plan, DEFAULT_POLICY));
  });
});
