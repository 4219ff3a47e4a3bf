import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import type { Instant } from '../../domain/clock.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { refuseBeyondAbilities } from '../../domain/planning/abilities.ts';
import { unknownVersion } from '../../domain/planning/find-version.ts';
import { refuseStepDown } from '../../domain/planning/passed-over.ts';
import { planRevert, type Reverted, versionBefore } from '../../domain/planning/plan-revert.ts';
import { planRollout } from '../../domain/planning/plan-rollout.ts';
import { resolveVersion } from '../../domain/planning/version.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { RolloutRequest } from '../../domain/rollout/request.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { fingerprintOf } from './fingerprint.ts';
import { readStableList } from './list.ts';
import { findUnanswerable, type Trial } from './plan.ts';
import { lookUpVersion, settledOn, takeVersion } from './version.ts';

export interface DrawnPlan
  extends Pick<
    RolloutRequest,
    'runtimeId' | 'desiredVersion' | 'versions' | 'passedOver' | 'revert'
  > {
  /** Base URL of the fleet's service. @default - not recorded */
  readonly endpointUrl?: string | undefined;
  /** Whether a rollout would wait until the version is made. */
  readonly isBeingMade: boolean;
  readonly policy: RolloutPolicy;
  readonly plan: RolloutPlan;
  /** Why gates of the plan can never be answered, in sentences. */
  readonly unanswerable: readonly string[];
  /** The name of exactly this plan: `rollout start --plan` refuses any other plan. */
  readonly fingerprint: string;
}

/**
 * Reads the list and makes a plan. It changes nothing.
 *
 * @param quarantines Those of the runtime that a start would heed. @default - there are none
 * @param trial @default - gates are not tried
 * @throws also `VersionUnknown` and `VersionsUnsupported`.
 */
export async function drawPlan(
  { runtimeId, version, versionFrom }: RolloutInput,
  policy: RolloutPolicy,
  service: EndpointService,
  quarantines: readonly Hold[] = [],
  trial: Trial | null = null,
): Promise<DrawnPlan> {
  refuseBeyondAbilities(version ?? null, policy, service.abilities);
  const picked =
    version === undefined ? null : await lookUpVersion(runtimeId, version, service, quarantines);
  const found = picked?.found;
  if (found?.state === 'none') throw unknownVersion(found);
  const endpoints = await readStableList(service, runtimeId);
  const from = () => resolveVersion(endpoints, versionFrom?.endpoint ?? '', policy.statuses);
  const settled =
    found === undefined
      ? await takeVersion(runtimeId, from(), service, quarantines)
      : settledOn(found.version, picked?.passedOver);
  const { desiredVersion } = settled;
  const plan = planRollout(endpoints, desiredVersion, policy, service.abilities);
  refuseStepDown(plan, runtimeId, settled.passedOver);
  const fingerprint = fingerprintOf(plan, policy);
  const of = { runtimeId, desiredVersion, policy };
  const unanswerable = await findUnanswerable(of, plan, endpoints, trial);
  const endpointUrl = service.url;
  const to = { ...settled, isBeingMade: found?.state === 'making' };
  return { endpointUrl, runtimeId, ...to, policy, plan, unanswerable, fingerprint };
}

/** Does the same for a rollout that undoes another one. @param policy As `revertingPolicy` says. */
export async function drawRevert(
  reverted: Reverted,
  policy: RolloutPolicy,
  service: EndpointService,
  now: Instant,
): Promise<DrawnPlan> {
  const { rolloutId: revert, runtimeId } = reverted.request;
  const endpoints = await readStableList(service, runtimeId);
  const plan = planRevert(endpoints, reverted, policy, service.abilities, now);
  const fingerprint = fingerprintOf(plan, policy);
  const desiredVersion = versionBefore(reverted);
  const of = { endpointUrl: service.url, runtimeId, desiredVersion, revert };
  return { ...of, isBeingMade: false, policy, plan, unanswerable: [], fingerprint };
}
