import { createHash } from 'node:crypto';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';

const LENGTH = 16;
/** How many characters at the end of a fingerprint depend on the policy alone. */
const OF_POLICY = 4;

/**
 * A short name for exactly this plan: the endpoints, their versions before and after, the waves, and the policy. Two
 * plans with the same name would do the same to the same fleet. Which status words endpoints show at the moment is no part
 * of it.
 */
export function fingerprintOf(
  { restingWords: _, ...planned }: RolloutPlan,
  policy: RolloutPolicy,
): string {
  const how = howOf(policy);
  const plan = { ...planned, waves: planned.waves.map(withoutWindows) };
  return digest([plan, how], LENGTH - OF_POLICY) + digest(how, OF_POLICY);
}

/** Whether this plan was made with this policy. If so, and the plans differ, the fleet has changed. */
export function isDrawnWith(policy: RolloutPolicy, fingerprint: string): boolean {
  return fingerprint.endsWith(digest(howOf(policy), OF_POLICY));
}

/** These settings only say when a rollout may start and roll, and with which policy. All others say how it is done. */
const SAYS_WHEN: ReadonlySet<string> = new Set<keyof RolloutPolicy>([
  'windows',
  'freezes',
  'outsideWindow',
  'windowsBind',
  'onConflict',
  'quarantine',
  'locked',
]);

/** The part of a policy that changes what a rollout does. */
function howOf(policy: RolloutPolicy): object {
  const how = Object.entries(policy).filter(([key]) => !SAYS_WHEN.has(key));
  return { ...Object.fromEntries(how), waves: policy.waves.map(withoutWindows) };
}

function withoutWindows<W extends { readonly windows?: unknown }>({ windows: _, ...wave }: W) {
  return wave;
}

function digest(value: unknown, length: number): string {
  const text = JSON.stringify(value, sortKeys);
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/** The order in which a policy was written down does not matter. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, value[key as keyof typeof value]]));
}
