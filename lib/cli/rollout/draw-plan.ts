import type { RolloutInput } from '../../contract/rollout-input.ts';
import { planRollout } from '../../domain/plan/plan-rollout.ts';
import { resolveVersion } from '../../domain/plan/resolve-version.ts';
import type { RolloutPolicy } from '../../domain/policy.ts';
import type { RolloutPlan } from '../../domain/rollout-plan.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { fingerprintOf } from '../../steps/fingerprint.ts';
import { readStableList } from '../../steps/read-stable-list.ts';

/** What a rollout would do to the fleet as it is now. */
export interface DrawnPlan {
  /** Base URL of the service whose fleet it is. @default - not recorded */
  readonly endpointUrl?: string | undefined;
  readonly runtimeId: string;
  readonly desiredVersion: number;
  readonly policy: RolloutPolicy;
  readonly plan: RolloutPlan;
  /** Names exactly this plan: `rollout start --plan` refuses any other. */
  readonly fingerprint: string;
}

/** Reads the list, and changes nothing. */
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
  return { endpointUrl: service.url, runtimeId, desiredVersion, policy, plan, fingerprint };
}
