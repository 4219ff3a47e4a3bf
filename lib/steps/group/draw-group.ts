import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { planRollout } from '../../domain/planning/plan-rollout.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { GroupPlanning } from '../frame/ports.ts';
import { wantedOf } from '../opening/asked-request.ts';
import type { DrawnPlan } from '../opening/draw-plan.ts';
import { fingerprintOf } from '../opening/fingerprint.ts';
import { groupAhead } from './group-ahead.ts';
import { type QuarantinesOf, settleVersions } from './settle-versions.ts';

/**
 * What a rollout of a group would do to its runtimes as they are now. It changes nothing.
 *
 * @param service That of the runtimes.
 * @param quarantinesOf The quarantines of a runtime that a start would heed.
 * @throws as `settleVersions` does, and why runtimes cannot be rolled.
 */
export async function drawGroup(
  wanted: RolloutInput,
  policy: RolloutPolicy,
  service: EndpointService,
  planning: GroupPlanning,
  quarantinesOf: QuarantinesOf,
): Promise<DrawnPlan> {
  const { runtimeId } = wanted;
  const asked = { runtimeId, ...wantedOf(wanted) };
  const settled = await settleVersions(asked, { service, planning, quarantinesOf });
  const group = groupAhead({ runtimeId, ...settled }, service, planning, quarantinesOf);
  const plan = planRollout(await group.list(runtimeId), settled, policy, group.abilities);
  const fingerprint = fingerprintOf(plan, policy);
  const of = { endpointUrl: service.url, runtimeId, ...settled };
  return { ...of, isBeingMade: false, policy, plan, unanswerable: [], fingerprint };
}
