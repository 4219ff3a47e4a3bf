import { ErrorName, SteprollError } from '../errors.ts';
import type { RolloutPolicy } from './policy.ts';

/** The word for the newest version of a runtime, wherever a version may be asked for. */
export const LATEST = 'latest';

/** A version that was asked for: a number of at least 1, or the newest one that the runtime has. */
export type AskedVersion = number | typeof LATEST;

/** What was asked for, as far as it is known. A rollout that waits or was refused may never know more. */
export interface AskedRequest {
  readonly rolloutId: string;
  /** Base URL of the service that has the runtime. @default - not known yet */
  readonly endpointUrl?: string;
  readonly runtimeId: string;
  /**
   * `null`: nobody has read it yet. It is taken from the endpoint in `versionFrom` or from the rollout in `revert`, and
   * without both it is the latest version of the runtime.
   */
  readonly desiredVersion: number | null;
  /** Name or id of the endpoint that the version is taken from. @default - from none */
  readonly versionFrom?: string;
  /**
   * Id of the rollout that this one undoes: what that one rolled goes back to the versions that its plan recorded.
   * `desiredVersion` is then the lowest of them. @default - it undoes none
   */
  readonly revert?: string;
  /**
   * Only of a group: the version of each of its runtimes, where they have versions of their own. `desiredVersion` is
   * then the highest of them, or `null` as long as one has to be found. @default - all have the same
   */
  readonly versions?: Readonly<Record<string, AskedVersion>>;
  /** `null`: the configuration decides, and nobody has read it yet. */
  readonly policy: RolloutPolicy | null;
  readonly startedBy: StartedBy;
  /** Fingerprint of the plan that somebody agreed to. @default - any plan will do */
  readonly agreedPlan?: string;
  /** A person wants it although the version is in quarantine. @default - then it is refused */
  readonly again?: true;
  /** Versions above its own that were not taken. @default - there are none */
  readonly passedOver?: readonly PassedOver[];
  /** A person wants it although somebody else is rolling its endpoints elsewhere. @default - then it is refused */
  readonly takeOver?: true;
  /** Id of the rollout of a group that started this one. @default - none did */
  readonly parent?: string;
  /** Name of that group. @default - none has started it */
  readonly group?: string;
}

/** A version of a runtime that `latest`, or the version of an endpoint, did not mean, because it was in quarantine. */
export interface PassedOver {
  readonly runtimeId: string;
  readonly version: number;
  /** A sentence that names the hold. */
  readonly because: string;
}

/** Where a rollout goes, as it was asked for. */
export type Wanted = Pick<AskedRequest, 'desiredVersion' | 'versionFrom' | 'revert' | 'versions'>;

/** The version that a request asks for, as it is known by now. `null`: the service has it, because it was taken there. */
export function askedVersionOf({
  desiredVersion,
  versionFrom,
  revert,
  versions,
}: Wanted): AskedVersion | null {
  if (revert !== undefined || versions !== undefined) return desiredVersion;
  return desiredVersion ?? (versionFrom === undefined ? LATEST : null);
}

/**
 * Where a rollout goes, for a sentence: `version 7`, `the version of staging`, `the latest version`,
 * `versions of their own` or `the versions before rollout "4f1f9a52"`.
 */
export function describeWanted({ desiredVersion, versionFrom, revert, versions }: Wanted): string {
  if (versions !== undefined) return 'versions of their own';
  if (revert !== undefined) return `the versions before rollout ${JSON.stringify(revert)}`;
  if (desiredVersion !== null) return `version ${desiredVersion}`;
  return versionFrom === undefined ? 'the latest version' : `the version of ${versionFrom}`;
}

/** A request with everything that a rollout needs: the version, and the policy from the configuration. */
export interface RolloutRequest extends AskedRequest {
  readonly desiredVersion: number;
  readonly versions?: Readonly<Record<string, number>>;
  readonly policy: RolloutPolicy;
}

/** The version that an endpoint is rolled to. */
export function versionFor(
  { desiredVersion, versions }: Pick<RolloutRequest, 'desiredVersion' | 'versions'>,
  endpointId: string,
): number {
  return versions?.[endpointId] ?? desiredVersion;
}

export const STARTER_KINDS = ['release', 'schedule', 'person'] as const;

/** Who or what started a rollout. */
export interface StartedBy {
  readonly kind: (typeof STARTER_KINDS)[number];
  /** Id of the release, or name of the schedule or the person. `''`: nobody said. */
  readonly name: string;
  /** When it was asked for, in milliseconds since the Unix epoch. Of two requests the later one is the newer one. */
  readonly at: number;
  /** Why, in the words of the person. @default - nobody said */
  readonly reason?: string;
}

type OfService = Pick<AskedRequest, 'endpointUrl'>;

/**
 * Refuses a rollout of another service. Two services may use the same ids for their runtimes and endpoints, so a plan
 * for one must not be carried out on the other.
 *
 * @param endpointUrl Base URL of the service in use here.
 * @throws `InvalidInput` when the rollout belongs to another service.
 */
export function refuseOtherService(
  request: OfService & Pick<AskedRequest, 'rolloutId'>,
  endpointUrl: string,
): void {
  if (!isOfOtherService(request, { endpointUrl })) return;
  throw new SteprollError(
    ErrorName.InvalidInput,
    `Rollout ${JSON.stringify(request.rolloutId)} is of the service at ${request.endpointUrl}, and the endpoint URL here is ${endpointUrl}.`,
  );
}

/** A request whose service is not known yet matches any service. */
export function isOfOtherService(one: OfService, other: OfService): boolean {
  return (
    one.endpointUrl !== undefined &&
    other.endpointUrl !== undefined &&
    one.endpointUrl !== other.endpointUrl
  );
}
