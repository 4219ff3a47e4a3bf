import { parsePolicy, type RolloutInput } from '../contract/rollout-input.ts';
import { ErrorName, errorNameOf } from '../domain/errors.ts';
import { resolveVersion } from '../domain/plan/resolve-version.ts';
import type { RolloutPolicy } from '../domain/policy.ts';
import type { RolloutRequest } from '../domain/rollout.ts';
import type { StartedBy } from '../domain/started-by.ts';
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
 * takes from another endpoint read once and then kept, also when the step runs again.
 *
 * @throws `InvalidInput`, `VersionUnknown`, `ListUnstable`.
 */
export async function requestRollout(
  { rolloutId, startTime }: ExecutionStart,
  { runtimeId, version, versionFrom, plan, policy, startedBy }: RolloutInput,
  policyOf: PolicyOf,
  { ledger, service }: Pick<StepPorts, 'ledger' | 'service'>,
): Promise<RolloutRequest> {
  const request = {
    rolloutId,
    runtimeId,
    policy: parsePolicy(policy, policyOf(runtimeId)),
    startedBy: startedByOf(startedBy, startTime),
    ...(plan !== undefined && { agreedPlan: plan }),
  };
  if (version !== undefined) return { ...request, desiredVersion: version };
  const recorded = await findRequest(rolloutId, ledger);
  if (recorded !== null) return recorded;
  const endpoints = await readStableList(service, runtimeId);
  const source = versionFrom?.endpoint ?? '';
  const { statuses } = request.policy;
  return { ...request, desiredVersion: resolveVersion(endpoints, source, statuses) };
}

/** A wish from the future would pass for the newest one until that time has come. */
function startedByOf(said: RolloutInput['startedBy'], startTime: number): StartedBy {
  if (said === undefined) return { kind: 'person', name: '', at: startTime };
  return { ...said, at: Math.min(said.at, startTime) };
}

async function findRequest(
  rolloutId: string,
  ledger: StepPorts['ledger'],
): Promise<RolloutRequest | null> {
  try {
    return (await ledger.read(rolloutId)).request;
  } catch (error) {
    if (errorNameOf(error) === ErrorName.RolloutNotFound) return null;
    throw error;
  }
}
