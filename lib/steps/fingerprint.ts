import { createHash } from 'node:crypto';
import type { RolloutPolicy } from '../domain/policy.ts';
import type { RolloutPlan } from '../domain/rollout-plan.ts';

const LENGTH = 16;
/** Of them, at the end, those that are of the policy alone. */
const OF_POLICY = 4;

/**
 * A short name for exactly this plan: the endpoints, where they are and where they go, the waves, and how
 * it is done. Two plans with the same name would do the same to the same fleet.
 */
export function fingerprintOf(plan: RolloutPlan, policy: RolloutPolicy): string {
  const how = howOf(policy);
  return digest([plan, how], LENGTH - OF_POLICY) + digest(how, OF_POLICY);
}

/** Whether a plan of this fingerprint was drawn with this policy: then it is the fleet that has changed. */
export function isDrawnWith(policy: RolloutPolicy, fingerprint: string): boolean {
  return fingerprint.endsWith(digest(howOf(policy), OF_POLICY));
}

/** When it may start says nothing about what it does. */
function howOf(policy: RolloutPolicy) {
  const { windows: _, freezes: __, outsideWindow: ___, onConflict: ____, ...how } = policy;
  return how;
}

function digest(value: unknown, length: number): string {
  const text = JSON.stringify(value, sortKeys);
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/** The order in which somebody wrote a policy down does not matter. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
