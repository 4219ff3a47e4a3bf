import { parsePolicy, type RolloutInput } from '../../contract/flow/rollout-input.ts';
import { describeTakenOut } from '../../domain/ending/taken-permission.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { refuseBeyondAbilities } from '../../domain/planning/abilities.ts';
import { revertingPolicy } from '../../domain/planning/plan-revert.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import {
  type AskedRequest,
  askedVersionOf,
  refuseOtherService,
} from '../../domain/rollout/request.ts';
import type { GroupPlanning } from '../frame/ports.ts';
import type { Condition, Configured } from './condition.ts';

type Asked = Pick<AskedRollout, 'request'> & { readonly input: RolloutInput };

/** It is of this service, which can do what is asked, with a valid policy. Nobody waits a turn to be refused then. */
export const configured: Condition<Asked> = {
  async ask({ request: asked, input }, { service, policyOf, groups }) {
    refuseOtherService(asked, service.url);
    refuseTakenOut(asked, groups?.planning);
    const said = parsePolicy(input.policy, policyOf(asked.runtimeId));
    const policy = asked.revert === undefined ? said : revertingPolicy(said);
    const request: Configured['request'] = { ...asked, endpointUrl: service.url, policy };
    // Of a group, nobody knows yet what is asked of each runtime.
    const isGroup = groupNameOf(request.runtimeId) !== null;
    const version = isGroup ? request.desiredVersion : askedVersionOf(request);
    refuseBeyondAbilities(version, policy, service.abilities);
    return { decision: 'go', learnt: { request } };
  },
};

/**
 * A group has only runtimes of its configuration. One that is there no more would be rolled without its own policy, and
 * so without its gates. Its way back needs neither.
 */
function refuseTakenOut(
  { runtimeId, parent, revert }: AskedRequest,
  planning: GroupPlanning | undefined,
): void {
  if (parent === undefined || revert !== undefined) return;
  if (planning?.isNamed?.(runtimeId) !== false) return;
  throw new SteprollError(ErrorName.UnknownRuntime, describeTakenOut(runtimeId));
}
