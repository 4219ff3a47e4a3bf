import {
  type Endpoint,
  endpointNamed,
  isFailed,
  isStopped,
  type StatusWords,
} from '../endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import { nameOf } from '../sentences.ts';

export interface RuntimeVersion {
  readonly version: number;
  /** `making`: it cannot be rolled yet. `failed`: it never can. `null`: the service says nothing, or nothing known. */
  readonly state: 'ready' | 'making' | 'failed' | null;
}

/** Why a rollout to `desiredVersion` would take endpoints back, in a sentence; `undefined` if it would not. */
export function faultOfDowngrade(
  endpoints: readonly Endpoint[],
  desiredVersion: number,
): string | undefined {
  const above = endpoints.filter((endpoint) => versionOf(endpoint) > desiredVersion);
  const [first] = above;
  if (first === undefined) return undefined;
  const rest = above.length > 1 ? ` and ${above.length - 1} more are` : ' is';
  return `${nameOf(first)}${rest} above version ${desiredVersion} already: allow the downgrade if it is meant.`;
}

/** The version that the endpoint serves or is on its way to. */
function versionOf({ liveVersion, targetVersion }: Endpoint): number {
  return Math.max(liveVersion ?? 0, targetVersion ?? 0);
}

/**
 * The live version of the endpoint with this name or id. The rollout promotes it from there.
 *
 * @throws `VersionUnknown` when there is no such endpoint, when there are two, or when its version is not settled.
 */
export function resolveVersion(
  endpoints: readonly Endpoint[],
  endpoint: string,
  statuses: StatusWords,
): number {
  const named = endpointNamed(endpoints, endpoint);
  if ('fault' in named) throw unknown(endpoint, named.fault);
  const { endpoint: source } = named;
  const { liveVersion, targetVersion, status } = source;
  if (isFailed(source, statuses) || isStopped(source, statuses)) {
    throw unknown(endpoint, `its status is ${status}`);
  }
  if (liveVersion === null || liveVersion < 1) throw unknown(endpoint, 'it has no live version');
  if (targetVersion !== null && targetVersion !== liveVersion) {
    throw unknown(endpoint, `it is on its way from version ${liveVersion} to ${targetVersion}`);
  }
  return liveVersion;
}

function unknown(endpoint: string, why: string): SteprollError {
  return new SteprollError(
    ErrorName.VersionUnknown,
    `There is no version to take from endpoint ${JSON.stringify(endpoint)}: ${why}.`,
  );
}

/**
 * Refuses a version that is too far above everything that is live. It may be a mistake or a forgery, and after it
 * every later release would count as a downgrade.
 *
 * @param endpoints All endpoints in the runtime's list, selected or not. When none has a live version, 0 counts as
 *   live.
 * @throws `VersionStepRefused`
 */
export function refuseVersionStep(
  endpoints: readonly Endpoint[],
  desiredVersion: number,
  { maxVersionStep }: { readonly maxVersionStep: number },
): void {
  const highest = endpoints.reduce((most, { liveVersion }) => Math.max(most, liveVersion ?? 0), 0);
  const step = desiredVersion - highest;
  if (step <= maxVersionStep) return;
  const above =
    highest === 0
      ? 'no endpoint of the runtime has a live version'
      : `version ${highest} is the highest one that is live in the runtime`;
  throw new SteprollError(
    ErrorName.VersionStepRefused,
    `Version ${desiredVersion} is a step of ${step}: ${above}, and maxVersionStep allows ${maxVersionStep}. Raise it if the version is meant.`,
  );
}
