import { parsePolicy } from '../../contract/flow/rollout-input.ts';
import { refuseBeyondAbilities } from '../../domain/planning/abilities.ts';
import { revertingPolicy } from '../../domain/planning/plan-revert.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { askedVersionOf, refuseOtherService } from '../../domain/rollout/request.ts';
import type { Answer, Asked, Condition, Configured, OpeningPorts } from './condition.ts';

/** It is of this service, its policy is valid, and the service can do what is asked of it. */
export const configured: Condition<Asked> = { ask: configure, foresee: null };

/**
 * This is known at once, so nobody waits for a turn only to be refused.
 *
 * @throws `InvalidInput` for overrides that are not valid, and for a rollout of another service. And as
 *   `refuseBeyondAbilities` does.
 */
async function configure(
  { request: asked, input }: Asked,
  { service, policyOf }: Pick<OpeningPorts, 'service' | 'policyOf'>,
): Promise<Answer> {
  const { url: endpointUrl, abilities } = service;
  refuseOtherService(asked, endpointUrl);
  const said = parsePolicy(input.policy, policyOf(asked.runtimeId));
  const policy = asked.revert === undefined ? said : revertingPolicy(said);
  const request: Configured['request'] = { ...asked, endpointUrl, policy };
  // Of a group, nobody knows yet what is asked of each runtime.
  const isGroup = groupNameOf(request.runtimeId) !== null;
  const version = isGroup ? request.desiredVersion : askedVersionOf(request);
  refuseBeyondAbilities({ ...request, version }, abilities);
  return { decision: 'go', learnt: { request } };
}
