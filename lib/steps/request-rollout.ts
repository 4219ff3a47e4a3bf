import { parsePolicy, type RolloutInput } from '../contract/rollout-input.ts';
import { resolveVersion } from '../domain/plan/resolve-version.ts';
import { refuseVersionStep } from '../domain/plan/version-step.ts';
import type { RolloutPolicy } from '../domain/policy.ts';
import { refuseOtherService } from '../domain/refuse-other-service.ts';
import type { RolloutRequest } from '../domain/rollout.ts';
import type { StartedBy } from '../domain/started-by.ts';
import type { NewestWish } from '../domain/turn/newest-wish.ts';
import { readStableList } from './read-stable-list.ts';
import type { StepPorts } from './step-ports.ts';

/** How a rollout of this runtime is done where its input does not say. */
export type PolicyOf = (runtimeId: string) => RolloutPolicy;

export interface ExecutionStart {
  readonly rolloutId: string;
  /** Milliseconds since the Unix epoch. */
  readonly startTime: number;
}

/**
 * What is recorded of a rollout before anything else: what it was asked for, with the version that it
 * takes from another endpoint read once and then kept, also while it waits for its turn.
 *
 * @param newest The newest wish of the runtime: its own, once it has waited.
 *
 * @throws `InvalidInput`, `VersionUnknown`, `VersionStepRefused`, `ListUnstable`.
 */
export async function requestRollout(
  { rolloutId, startTime }: ExecutionStart,
  { endpointUrl, runtimeId, version, versionFrom, plan, policy, startedBy }: RolloutInput,
  newest: NewestWish | null,
  policyOf: PolicyOf,
  { service }: Pick<StepPorts, 'service'>,
): Promise<RolloutRequest> {
  if (endpointUrl !== undefined) refuseOtherService({ rolloutId, endpointUrl }, service.url);
  const request = {
    rolloutId,
    endpointUrl: service.url,
    runtimeId,
    policy: parsePolicy(policy, policyOf(runtimeId)),
    startedBy: startedByOf(startedBy, startTime),
    ...(plan !== undefined && { agreedPlan: plan }),
  };
  // While it waits for its turn the version stays the one that was live when it was asked for.
  if (newest?.rolloutId === rolloutId) {
    return { ...request, desiredVersion: newest.desiredVersion };
  }
  const { statuses, maxVersionStep } = request.policy;
  // Such a version is in reach whatever is live: nothing has to be read for it.
  if (version !== undefined && version <= maxVersionStep) {
    return { ...request, desiredVersion: version };
  }
  const endpoints = await readStableList(service, runtimeId);
  const desiredVersion =
    version ?? resolveVersion(endpoints, versionFrom?.endpoint ?? '', statuses);
  // Now, and not when the plan is drawn: a wish for such a version must make nobody give way.
  refuseVersionStep(endpoints, desiredVersion, request.policy);
  return { ...request, desiredVersion };
}

/** The clocks of people's machines are not asked, and a wish from the future would pass for the newest one. */
function startedByOf(said: RolloutInput['startedBy'], startTime: number): StartedBy {
  const { kind, name, at } = said ?? { kind: 'person', name: '', at: startTime };
  return { kind, name, at: kind === 'person' ? startTime : Math.min(at, startTime) };
}
