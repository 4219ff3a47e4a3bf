import { ErrorName } from '../errors.ts';
import type { RolloutRecord, RolloutRequest } from '../rollout.ts';
import { isNewer, wishOf } from './is-newer.ts';

export type ConflictDecision =
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
  if (!isNewer(wishOf(request), wishOf(other))) {
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
