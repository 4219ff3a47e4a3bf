import { describe, expect, test } from '@jest/globals';
import { openGates } from '../../lib/adapters/gates/gates.ts';
import { policySchema } from '../../lib/contract/config/policy.ts';
import { revertingPolicy } from '../../lib/domain/planning/plan-revert.ts';
import { askedGates, GATE_KINDS, GATES, rehearseGates } from '../../lib/gates/gates.ts';
import { metricRule } from '../domain/examples.ts';
import { WHOLE_POLICY } from '../support/whole-policy.ts';

const ASKED = {
  probe: { path: '/healthz', hosts: ['*.example.com'] },
  alarms: ['errors'],
  metrics: [metricRule()],
  prometheus: [{ name: 'errors', url: 'https://prometheus.example.com', query: 'up', above: 1 }],
  checks: [{ name: 'smoke', url: 'https://checks.example.com/smoke' }],
};
const policy = policySchema.parse({ ...WHOLE_POLICY, verify: ASKED });
const namesIn = (verify: object) => askedGates({ ...verify }).map(({ name }) => name);

describe('the gates', () => {
  test('are told apart by their kinds in records', () => {
    expect(new Set(GATE_KINDS).size).toBe(Object.keys(GATES).length);
  });

  test('are asked where a policy says something, in the order of the list', () => {
    expect(namesIn(policy.verify)).toEqual(Object.keys(ASKED));
    expect(namesIn(WHOLE_POLICY.verify)).toEqual([]);
    expect(namesIn({ approval: null })).toEqual([]);
  });

  test('are not asked when a rollout is undone, whatever they are', () => {
    const ignoring = { ...policy.verify, redAtStart: 'ignore' as const };
    const { verify } = revertingPolicy({ ...policy, verify: ignoring });
    expect(namesIn(verify)).toEqual([]);
    expect(verify).toEqual(WHOLE_POLICY.verify);
  });

  test('have an answer in rehearsals for everything that they ask', () => {
    const rehearsed = rehearseGates({
      statusAt: () => 200,
      sick: () => [],
    });
    expect(Object.keys(rehearsed).toSorted()).toEqual(Object.keys(openGates()).toSorted());
  });
});
