import { entryOf } from '../keyed.ts';
import type { Stored } from '../stored.ts';
import type { RolloutPolicy } from './policy.ts';
import type { askedRequest, startedBy } from './stored.ts';

/** The word for the newest version of a runtime, wherever a version may be asked for. */
export const LATEST = 'latest';

/** A version that was asked for: a number of at least 1, or the newest one that the runtime has. */
export type AskedVersion = number | typeof LATEST;

/** What was asked for, as far as it is known. A rollout that waits or was refused may never know more. */
export interface AskedRequest extends Stored<typeof askedRequest> {
  /** `null`: the configuration decides, and nobody has read it yet. */
  readonly policy: RolloutPolicy | null;
}

export type PassedOver = NonNullable<AskedRequest['passedOver']>[number];

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

export function versionFor(
  { desiredVersion, versions }: Pick<RolloutRequest, 'desiredVersion' | 'versions'>,
  endpointId: string,
): number {
  return entryOf(versions, endpointId) ?? desiredVersion;
}

export const STARTER_KINDS = ['release', 'schedule', 'person'] as const;

export interface StartedBy extends Stored<typeof startedBy> {}

/** Who or what started it: `ann`, `schedule nightly`, `a release`. */
export function describeStarter({ kind, name }: Pick<StartedBy, 'kind' | 'name'>): string {
  if (name === '') return kind === 'person' ? 'hand' : `a ${kind}`;
  return kind === 'person' ? name : `${kind} ${name}`;
}
