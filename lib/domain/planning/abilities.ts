import type { ServiceAbilities } from '../endpoint/abilities.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import { FAILURE_POLICIES, type FailurePolicy, type RolloutPolicy } from '../rollout/policy.ts';

/** What a rollout asks of its service besides rolls. */
export interface Demand {
  /** `null`: the version is taken from an endpoint, so the service has it. */
  readonly desiredVersion: number | null;
  readonly policy: Pick<RolloutPolicy, 'onFailure'>;
}

/**
 * Refuses what the service of a rollout cannot do. All of it is known before anything is read or written.
 *
 * @throws `StopUnsupported` for a failure policy that stops endpoints; `InvalidInput` for a version that is too high.
 */
export function refuseBeyondAbilities(
  { desiredVersion, policy }: Demand,
  { stops, highestVersion }: ServiceAbilities,
): void {
  if (!stops && policy.onFailure === 'stop-old') {
    const others = FAILURE_POLICIES.filter((one) => one !== 'stop-old');
    throw new SteprollError(
      ErrorName.StopUnsupported,
      `onFailure: ${quoted('stop-old')} stops endpoints, and this service cannot stop any: use ${others.map(quoted).join(' or ')}.`,
    );
  }
  if (desiredVersion !== null && highestVersion !== null && desiredVersion > highestVersion) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `version: ${desiredVersion} is above ${highestVersion}, the highest version that this service takes.`,
    );
  }
}

function quoted(policy: FailurePolicy): string {
  return JSON.stringify(policy);
}
