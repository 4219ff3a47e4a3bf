import { LOCKABLE, type LockedField, UNLOCKABLE } from '../../contract/config/locked.ts';
import {
  asksForTime,
  type ExecutionStart,
  parsePolicy,
  type RolloutInput,
} from '../../contract/flow/rollout-input.ts';
import { describeTakenOut } from '../../domain/ending/taken-permission.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { whatUnlocks } from '../../domain/holds/what-holds.ts';
import { refuseBeyondAbilities } from '../../domain/planning/abilities.ts';
import { revertingPolicy } from '../../domain/planning/plan-revert.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { refuseOtherService } from '../../domain/rollout/other-service.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type AskedRequest, askedVersionOf } from '../../domain/rollout/request.ts';
import type { GroupPlanning, PolicyOf } from '../io/ports.ts';
import { toAskedRequest } from './asked-request.ts';
import type { Condition, Configured, OpeningPorts } from './condition.ts';

type Asked = Pick<AskedRollout, 'request'> & { readonly input: RolloutInput };

/** It is of this service, which can do what is asked, with a valid policy. Nobody waits a turn to be refused then. */
export const configured: Condition<Asked, Pick<Configured, 'request'>> = {
  async ask({ request: asked, input }, { service, policyOf, groups, ledger, clock }) {
    refuseOtherService(asked, service.url);
    refuseTakenOut(asked, groups?.planning);
    // What it is of was recorded first: whoever hands it over may say something else.
    const { runtimeId, revert } = asked;
    const said = { policy: input.policy, runtimeId, revert };
    const policy = policySaid(said, policyOf, await unlockedNow(asked, input, ledger, clock));
    const request: Configured['request'] = { ...asked, endpointUrl: service.url, policy };
    // Of a group, nobody knows yet what is asked of each runtime.
    const isGroup = groupNameOf(request.runtimeId) !== null;
    const version = isGroup ? request.desiredVersion : askedVersionOf(request);
    refuseBeyondAbilities(version, policy, service.abilities);
    return { decision: 'go', learnt: { request } };
  },
};

/** What somebody has unlocked for this rollout. Only who asks for another time needs it. */
async function unlockedNow(
  request: AskedRequest,
  { policy }: RolloutInput,
  ledger: Pick<OpeningPorts['ledger'], 'listHolds'>,
  clock: Pick<OpeningPorts['clock'], 'now'>,
): Promise<readonly LockedField[]> {
  if (!asksForTime(policy)) return [];
  const unlocks = whatUnlocks(request, await ledger.listHolds(), clock.now());
  return unlocks.length > 0 ? UNLOCKABLE : [];
}

type Said = Pick<RolloutInput, 'runtimeId' | 'policy'> & {
  readonly revert?: string | undefined;
};

/** @throws `InvalidInput`, `PolicyLocked`. */
function policySaid(
  { runtimeId, revert, policy }: Said,
  policyOf: PolicyOf,
  unlocked: readonly LockedField[] = [],
): RolloutPolicy {
  const said = parsePolicy(policy, policyOf(runtimeId), revert === undefined ? unlocked : LOCKABLE);
  return revert === undefined ? said : revertingPolicy(said);
}

/**
 * What the ledger knows of a rollout from its first record on: all that was said with its start, so that nobody goes on
 * with it by another policy or at another service. A policy that is not valid, or locked, is refused at the first look.
 */
export function firstRequest(
  start: ExecutionStart,
  input: RolloutInput,
  {
    service,
    policyOf,
  }: Pick<OpeningPorts, 'policyOf'> & { readonly service: { readonly url: string } },
): AskedRequest {
  const request = { endpointUrl: service.url, ...toAskedRequest(start, input) };
  try {
    return { ...request, policy: policySaid(input, policyOf) };
  } catch (error) {
    const isRefused = [ErrorName.InvalidInput, ErrorName.PolicyLocked].some(
      (name) => name === errorNameOf(error),
    );
    if (!isRefused) throw error;
    return request;
  }
}

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
