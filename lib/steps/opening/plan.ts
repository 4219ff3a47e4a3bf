import { createHash } from 'node:crypto';
import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { planRollout } from '../../domain/planning/plan-rollout.ts';
import { resolveVersion } from '../../domain/planning/version.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { unanswerableProbes } from './gates.ts';
import { readStableList } from './list.ts';

const LENGTH = 16;
/** How many characters at the end of a fingerprint depend on the policy alone. */
const OF_POLICY = 4;

/**
 * A short name for exactly this plan: the endpoints, their versions before and after, the waves, and the policy. Two
 * plans with the same name would do the same to the same fleet.
 */
export function fingerprintOf(plan: RolloutPlan, policy: RolloutPolicy): string {
  const how = howOf(policy);
  return digest([plan, how], LENGTH - OF_POLICY) + digest(how, OF_POLICY);
}

/**
 * Whether the plan of this fingerprint was made with this policy. If so, and the plans differ, the fleet has changed.
 */
export function isDrawnWith(policy: RolloutPolicy, fingerprint: string): boolean {
  return fingerprint.endsWith(digest(howOf(policy), OF_POLICY));
}

/** The part of a policy that changes what a rollout does. When it may start is not part of it. */
function howOf(policy: RolloutPolicy) {
  const { windows: _, freezes: __, outsideWindow: ___, onConflict: ____, ...how } = policy;
  return how;
}

function digest(value: unknown, length: number): string {
  const text = JSON.stringify(value, sortKeys);
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/** The order in which a policy was written down does not matter. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What a rollout would do to the fleet as it is now. */
export interface DrawnPlan {
  /** Base URL of the fleet's service. @default - not recorded */
  readonly endpointUrl?: string | undefined;
  readonly runtimeId: string;
  readonly desiredVersion: number;
  readonly policy: RolloutPolicy;
  readonly plan: RolloutPlan;
  /** Why the endpoints of the plan can never be probed, in sentences. */
  readonly unanswerable: readonly string[];
  /** The name of exactly this plan: `rollout start --plan` refuses any other plan. */
  readonly fingerprint: string;
}

/** Reads the list and makes a plan. It changes nothing. */
export async function drawPlan(
  { runtimeId, version, versionFrom }: RolloutInput,
  policy: RolloutPolicy,
  service: EndpointService,
): Promise<DrawnPlan> {
  const endpoints = await readStableList(service, runtimeId);
  const desiredVersion =
    version ?? resolveVersion(endpoints, versionFrom?.endpoint ?? '', policy.statuses);
  const plan = planRollout(endpoints, desiredVersion, policy);
  const fingerprint = fingerprintOf(plan, policy);
  const unanswerable = unanswerableProbes(plan, endpoints, policy.verify);
  const endpointUrl = service.url;
  return { endpointUrl, runtimeId, desiredVersion, policy, plan, unanswerable, fingerprint };
}
