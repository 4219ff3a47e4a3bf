import { type Instant, MOST_SKEW_MS } from '../clock.ts';
import { ErrorName } from '../errors.ts';
import { LONGEST_LOOK_SECONDS } from '../look-again.ts';
import { isAwaited } from '../rollout/opening.ts';
import type { RolloutRecord } from '../rollout/record.ts';
import { type AskedRequest, describeWanted, type RolloutRequest } from '../rollout/request.ts';

/** A request, and what makes it newer than another one. */
export interface DatedRequest {
  readonly rolloutId: string;
  /** `null`: it is not known yet. */
  readonly desiredVersion: number | null;
  readonly at: Instant;
}

/**
 * Whether a request is newer than another one: it came later, or at the same time for a higher version, because
 * events carry whole seconds. When both are equal, either may count as the newer one, as long as it is always the
 * same one.
 */
export function isNewer(request: DatedRequest, other: DatedRequest): boolean {
  const later =
    request.at - other.at || (request.desiredVersion ?? 0) - (other.desiredVersion ?? 0);
  return later > 0 || (later === 0 && request.rolloutId > other.rolloutId);
}

export function datedRequest({
  rolloutId,
  desiredVersion,
  startedBy,
}: Pick<AskedRequest, 'rolloutId' | 'desiredVersion' | 'startedBy'>): DatedRequest {
  return { rolloutId, desiredVersion, at: startedBy.at };
}

export function replacesLatest(
  request: LatestRequest,
  newest: LatestRequest,
  now: number,
): boolean {
  return (
    request.rolloutId === newest.rolloutId ||
    isNewer(request, newest) ||
    !isStillWanted(newest, now)
  );
}

/** Whether others have to respect it: its rollout waits, or has begun. One that did not wake up is gone. */
export function isStillWanted(latest: LatestRequest, now: Instant): boolean {
  const { wakesAt } = latest;
  return !isFromFuture(latest, now) && (wakesAt === null || isAwaited(wakesAt, now));
}

type ConflictDecision =
  /** `asks`: the rollout under way is asked to give way. */
  | { readonly decision: 'wait'; readonly asks: boolean; readonly message: string }
  /** The one under way is the newer one. */
  | { readonly decision: 'overtaken' }
  | { readonly decision: 'refuse'; readonly error: ErrorName; readonly message: string };

/**
 * What happens to a rollout with the policy `latest` that finds another one under way. It waits for the other one.
 * When the other one's request is older, and the policy allows to leave its version, this rollout also asks it to
 * give way.
 */
export function decideConflict(
  request: RolloutRequest,
  active: Pick<RolloutRecord, 'request'>,
): ConflictDecision {
  const { desiredVersion, policy } = request;
  const other = active.request;
  const which = `rollout ${JSON.stringify(other.rolloutId)} to ${describeWanted(other)}`;
  if (!isNewer(datedRequest(request), datedRequest(other))) return { decision: 'overtaken' };
  if (desiredVersion < other.desiredVersion && !policy.allowDowngrade) {
    const message = `No step back: ${which} is under way, and the policy does not allow to go to version ${desiredVersion} after that.`;
    return { decision: 'refuse', error: ErrorName.DowngradeRefused, message };
  }
  // A newer rollout to the same version may be for other endpoints, so it waits for its turn, mostly with nothing
  // left to do.
  const asks = desiredVersion !== other.desiredVersion;
  const message = asks ? `It waits for ${which} to give way.` : `It waits for ${which} to end.`;
  return { decision: 'wait', asks, message };
}

/** The newest request that has begun, once this one is the latest. */
export function newestBegun(
  { rolloutId, desiredVersion, at, wakesAt }: LatestRequest,
  before: LatestRequest | null,
  now: Instant,
): DatedRequest | undefined {
  const begun = before?.begun;
  if (wakesAt !== null) return begun;
  const request = { rolloutId, desiredVersion, at };
  if (begun !== undefined && isFromFuture(request, now) && !isFromFuture(begun, now)) return begun;
  return begun === undefined || isFromFuture(begun, now) || isNewer(request, begun)
    ? request
    : begun;
}

export function isAnotherNewer(latest: DatedRequest, request: DatedRequest): boolean {
  return latest.rolloutId !== request.rolloutId && isNewer(latest, asFarAsKnown(request));
}

/** The request that has begun, and is newer than this one. `undefined`: none is, or its time is from a wrong clock. */
export function overtakerOf(
  { begun }: Pick<LatestRequest, 'begun'>,
  request: DatedRequest,
  now: Instant,
): DatedRequest | undefined {
  const isThere = begun !== undefined && !isFromFuture(begun, now);
  return isThere && isAnotherNewer(begun, request) ? begun : undefined;
}

/** Its time is from a wrong clock. */
function isFromFuture({ at }: DatedRequest, now: Instant): boolean {
  return at > now + MOST_SKEW_MS;
}

/** As long as its own version is not known, that may be any. */
function asFarAsKnown(request: DatedRequest): DatedRequest {
  const { desiredVersion } = request;
  return { ...request, desiredVersion: desiredVersion ?? Number.POSITIVE_INFINITY };
}

/** Whether the latest request of a runtime is another, newer one, and its rollout waits or has begun. */
export function goesBefore(latest: LatestRequest, request: DatedRequest, now: number): boolean {
  return isAnotherNewer(latest, request) && isStillWanted(latest, now);
}

/**
 * The latest request for a runtime of a service. Its rollout is about to begin, waits for whatever, or has begun. Times
 * are milliseconds since the Unix epoch.
 */
export interface LatestRequest extends DatedRequest {
  readonly runtimeId: string;
  /** Base URL of the service that has the runtime. Another service may have a runtime with the same id. */
  readonly endpointUrl: string;
  /** When the rollout looks again whether it may begin. `null`: it has begun. */
  readonly wakesAt: number | null;
  /** When one of those that wait has last gone on to read of the service. @default - none has */
  readonly lookedAt?: number | null;
  /** The newest one that has begun, whatever was asked for after it. @default - none has */
  readonly begun?: DatedRequest;
}

/** Of the rollouts of a runtime that wait, one reads of the service in so many milliseconds. */
const BETWEEN_LOOKS_MS = 5_000;

/** When the next one of those that wait may read of the service. */
export function mayLookAt({ lookedAt }: Pick<LatestRequest, 'lookedAt'>): number {
  return lookedAt == null ? 0 : lookedAt + BETWEEN_LOOKS_MS;
}

/** Thousands may wait behind one that sleeps for days. */
const LONGEST_BEHIND_SECONDS = 3_600;

/** Seconds until one looks again that waits behind a newer one: once that one has looked, if it does not sleep for long. */
export function secondsBehind({ wakesAt }: Pick<LatestRequest, 'wakesAt'>, now: number): number {
  const seconds = Math.ceil(((wakesAt ?? 0) - now) / 1000);
  return Math.min(LONGEST_BEHIND_SECONDS, Math.max(SHORTEST_SECONDS, seconds));
}

const SHORTEST_SECONDS = 15;

/** Nobody waits longer than this for a rollout that does not give way. The wait for a window is not counted. */
export const LONGEST_QUEUE_SECONDS = 24 * 3600;

/**
 * Seconds until the next try to get the lease: a tenth of the wait so far. A day of waiting then makes some 330 tries
 * and 3,000 events in the execution's history of at most 25,000.
 */
export function queueSeconds(waitedSeconds: number): number {
  const seconds = Math.ceil(waitedSeconds / 10);
  return Math.min(LONGEST_LOOK_SECONDS, Math.max(SHORTEST_SECONDS, seconds));
}

/** A rollout waits for what others make, and somebody looks again. */
export interface PatientWait {
  readonly decision: 'wait';
  /** A whole number. */
  readonly seconds: number;
  /** Seconds until the rollout has waited too long. */
  readonly secondsLeft: number;
  readonly message: string;
}
