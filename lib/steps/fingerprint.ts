import { createHash } from 'node:crypto';
import type { RolloutPolicy } from '../domain/policy.ts';
import type { RolloutPlan } from '../domain/rollout-plan.ts';

const LENGTH = 16;

/**
 * A short name for exactly this plan: the endpoints, where they are and where they go, the waves, and how
 * it is done. Two plans with the same name would do the same to the same fleet.
 */
export function fingerprintOf(plan: RolloutPlan, policy: RolloutPolicy): string {
  // When it may start says nothing about what it does.
  const { windows: _, freezes: __, outsideWindow: ___, onConflict: ____, ...how } = policy;
  const text = JSON.stringify([plan, how], sortKeys);
  return createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
}

/** The order in which somebody wrote a policy down does not matter. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
