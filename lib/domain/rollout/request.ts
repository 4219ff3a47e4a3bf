import { ErrorName, SteprollError } from '../errors.ts';
import type { RolloutPolicy } from './policy.ts';

/** What was asked for, as far as it is known: a rollout that waits or was refused may never know more. */
export interface AskedRequest {
  readonly rolloutId: string;
  /** Base URL of the service that has the runtime. @default - not known yet, or of an older record */
  readonly endpointUrl?: string;
  readonly runtimeId: string;
  /** `null`: it is taken from `versionFrom`, and was not read yet. */
  readonly desiredVersion: number | null;
  /** The endpoint that the version is taken from, by name or id. @default - a version was asked for */
  readonly versionFrom?: string;
  /** `null`: how the configuration says, which nobody has looked at yet. */
  readonly policy: RolloutPolicy | null;
  readonly startedBy: StartedBy;
  /** Fingerprint of the plan that somebody agreed to. @default - whatever the plan is */
  readonly agreedPlan?: string;
}

/** What a trigger asks for, together with how the configuration says it is done. */
export interface RolloutRequest extends AskedRequest {
  readonly desiredVersion: number;
  readonly policy: RolloutPolicy;
}

export const STARTER_KINDS = ['release', 'schedule', 'person'] as const;

/** Who or what started a rollout. */
export interface StartedBy {
  readonly kind: (typeof STARTER_KINDS)[number];
  /** Id of the release, name of the schedule, or of the person; `''`: nobody said. */
  readonly name: string;
  /** When, in milliseconds since the Unix epoch: the later one of two is the newer wish. */
  readonly at: number;
}

type OfService = Pick<AskedRequest, 'endpointUrl'>;

/**
 * Two services may have runtimes and endpoints of the same ids: what was planned for one is not done to the
 * other.
 *
 * @param endpointUrl Base URL of the service that is at hand.
 * @throws `InvalidInput` where the rollout is of another one.
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

/** A record that is too old to say which one it is of is of any. */
export function isOfOtherService(one: OfService, other: OfService): boolean {
  return (
    one.endpointUrl !== undefined &&
    other.endpointUrl !== undefined &&
    one.endpointUrl !== other.endpointUrl
  );
}
