import type { ServiceAbilities } from '../endpoint/abilities.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import {
  FAILURE_POLICIES,
  type FailurePolicy,
  mayStop,
  type RolloutPolicy,
} from '../rollout/policy.ts';
import { type AskedVersion, LATEST } from '../rollout/request.ts';

/**
 * Refuses what the service of a rollout cannot do. All of it is known before anything is read or written.
 *
 * @param version `null`: it is taken from an endpoint, so the service has it.
 * @throws `StopUnsupported` for a failure policy that stops endpoints; `VersionsUnsupported` for
 *   the latest version of a service that cannot list versions; `InvalidInput` for a version that is too high.
 */
export function refuseBeyondAbilities(
  version: AskedVersion | null,
  { onFailure }: Pick<RolloutPolicy, 'onFailure'>,
  { stops, listsVersions, highestVersion }: ServiceAbilities,
): void {
  if (!stops && mayStop(onFailure)) {
    const others = FAILURE_POLICIES.filter((one) => one !== 'stop-old');
    throw new SteprollError(
      ErrorName.StopUnsupported,
      `onFailure: ${quoted('stop-old')} stops endpoints, and this service cannot stop any: use ${others.map(quoted).join(' or ')}.`,
    );
  }
  if (version === LATEST) {
    if (!listsVersions) throw unlistable();
  } else if (version !== null && highestVersion !== null && version > highestVersion) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `version: ${version} is above ${highestVersion}, the highest version that this service takes.`,
    );
  }
}

function quoted(policy: FailurePolicy): string {
  return JSON.stringify(policy);
}

export function unlistable(): SteprollError {
  return new SteprollError(
    ErrorName.VersionsUnsupported,
    'This service cannot list the versions of a runtime, so nobody knows which one is the latest: name a version, or the endpoint to take it from.',
  );
}
