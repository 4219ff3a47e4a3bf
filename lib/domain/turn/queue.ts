import { ErrorName } from '../errors.ts';
import type { RolloutRecord } from '../rollout/record.ts';
import type { RolloutRequest } from '../rollout/request.ts';
import { isAwaited } from '../rollout/waiting.ts';

/** Clocks may differ by so much; a wish from further ahead was dated by one that is wrong. */
const SKEW_MS = 5 * 60_000;

type DatedRequest = Pick<LatestRequest, 'rolloutId' | 'desiredVersion' | 'at'>;

/**
 * The later wish; of two at the same time, because events carry whole seconds, the one for the higher
 * version. Of twins either may be the newer one, as long as it is always the same.
 */
export function isNewer(request: DatedRequest, other: DatedRequest): boolean {
  const later = request.at - other.at || request.desiredVersion - other.desiredVersion;
  return later > 0 || (later === 0 && request.rolloutId > other.rolloutId);
}

export function datedRequest({
  rolloutId,
  desiredVersion,
  startedBy,
}: RolloutRequest): DatedRequest {
  return { rolloutId, desiredVersion, at: startedBy.at };
}

/** Whether a wish takes the place of the one that was the newest until `now`. */
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

/** A wish that has to be reckoned with: it waits, or was opened. One that did not wake is gone. */
export function isStillWanted({ at, wakesAt }: LatestRequest, now: number): boolean {
  return at <= now + SKEW_MS && (wakesAt === null || isAwaited(wakesAt, now));
}

type ConflictDecision =
  /** `asks`: the one that is under way is asked to give way. */
  | { readonly decision: 'wait'; readonly asks: boolean; readonly message: string }
  | { readonly decision: 'refuse'; readonly error: ErrorName; readonly message: string };

/**
 * What becomes of a rollout of the policy `latest` that finds another one under way: it waits for it, and
 * overtakes it where that one is the older wish, for a version that the policy lets it leave.
 */
export function decideConflict(
  request: RolloutRequest,
  active: Pick<RolloutRecord, 'request'>,
): ConflictDecision {
  const { desiredVersion, policy } = request;
  const other = active.request;
  const which = `rollout ${JSON.stringify(other.rolloutId)} to version ${other.desiredVersion}`;
  const underWay = `${which} is under way`;
  if (!isNewer(datedRequest(request), datedRequest(other))) {
    return refuse(ErrorName.StaleTrigger, `Overtaken: ${underWay}, and it is the newer one.`);
  }
  if (desiredVersion < other.desiredVersion && !policy.allowDowngrade) {
    return refuse(
      ErrorName.DowngradeRefused,
      `No step back: ${underWay}, and the policy does not allow to go to version ${desiredVersion} after that.`,
    );
  }
  // For the same version it may mean other endpoints: it has its turn afterwards, mostly with nothing left to do.
  const asks = desiredVersion !== other.desiredVersion;
  const message = asks ? `It waits for ${which} to give way.` : `It waits for ${which} to end.`;
  return { decision: 'wait', asks, message };
}

function refuse(error: ErrorName, message: string): ConflictDecision {
  return { decision: 'refuse', error, message };
}

/**
 * The newest wish of a runtime of a service: of a rollout that waits for its turn, for a deployment window or
 * for the one that is under way, or of one that was opened. Times are milliseconds since the Unix epoch.
 */
export interface LatestRequest {
  readonly runtimeId: string;
  /** Base URL of the service that has the runtime: others may have one of the same id. */
  readonly endpointUrl: string;
  readonly rolloutId: string;
  readonly desiredVersion: number;
  /** When it was started. */
  readonly at: number;
  /** When it looks again whether it may begin. `null`: it was opened. */
  readonly wakesAt: number | null;
}

const SHORTEST_SECONDS = 15;
const LONGEST_SECONDS = 300;

/** Nobody waits longer for a rollout that does not give way; the wait for a window is not counted. */
export const LONGEST_QUEUE_SECONDS = 24 * 3600;

/**
 * Seconds until the next try to get the lease: a tenth of what was waited, so that a day of waiting is
 * some 330 tries and 3,000 events of the execution's history of 25,000.
 */
export function queueSeconds(waitedSeconds: number): number {
  const seconds = Math.ceil(waitedSeconds / 10);
  return Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, seconds));
}
