import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { checks } from '../../../lib/gates/checks.ts';
import { prometheus } from '../../../lib/gates/prometheus.ts';

// The default policy with one gate that asks something of a user's own.

function withCheck(said: object): RolloutPolicy {
  const url = 'https://checks.example.com';
  const asked = checks.schema.parse([{ name: 'check', url, ...said }]);
  return { ...DEFAULT_POLICY, verify: { ...DEFAULT_POLICY.verify, checks: asked } };
}

function withQuery(query: string): RolloutPolicy {
  const url = 'https://prometheus.example.com';
  const asked = prometheus.schema.parse([{ name: 'query', url, query, above: 1 }]);
  return { ...DEFAULT_POLICY, verify: { ...DEFAULT_POLICY.verify, prometheus: asked } };
}

/** Each gate, and for how long a check says that it is at work whenever it is asked anew, in seconds. */
export const ASKED: readonly (readonly [string, RolloutPolicy, number])[] = [
  ['nothing', DEFAULT_POLICY, 0],
  ['before the rollout', withCheck({ when: 'before-rollout' }), 0],
  ['at work for 10 min', withCheck({ when: 'before-rollout' }), 600],
  ['before each wave', withCheck({ when: 'before-wave' }), 0],
  ['at work for 10 min', withCheck({ when: 'before-wave' }), 600],
  ['in the bake', withCheck({ when: 'bake' }), 0],
  ['bake, everySeconds 300', withCheck({ when: 'bake', everySeconds: 300 }), 0],
  ['at the end of the bake', withCheck({ when: 'bake-end' }), 0],
  ['at work for 10 min', withCheck({ when: 'bake-end' }), 600],
  ['a query', withQuery('up'), 0],
  ['a query with {endpoint}', withQuery('up{instance="{endpoint}"}'), 0],
];
