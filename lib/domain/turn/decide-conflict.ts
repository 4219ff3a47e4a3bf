import { ErrorName } from '../errors.ts';
import type { RolloutRecord, RolloutRequest } from '../rollout.ts';
import { isNewer } from './is-newer.ts';

export type ConflictDecision =
  | { readonly decision: 'wait' }
  | { readonly decision: 'refuse'; readonly error: ErrorName; readonly message: string };

/**
 * What becomes of a rollout of the policy `latest` that finds another one under way. It waits only for one that is to give way to
 * it: an older wish, for another version, that its own policy lets it overtake.
 */
export function decideConflict(
  request: RolloutRequest,
  active: Pick<RolloutRecord, 'request'>,
): ConflictDecision {
  const { desiredVersion, policy } = request;
  const other = active.request;
  const name = `rollout ${JSON.stringify(other.rolloutId)} to version ${other.desiredVersion} is under way`;
  if (other.desiredVersion === desiredVersion) {
    return refuse(ErrorName.LeaseHeld, `Nothing to overtake: ${name} already.`);
  }
  if (!isNewer(request, other)) {
    return refuse(ErrorName.StaleTrigger, `Overtaken: ${name}, and it is the newer one.`);
  }
  if (desiredVersion < other.desiredVersion && !policy.allowDowngrade) {
    return refuse(
      ErrorName.DowngradeRefused,
      `No step back: ${name}, and the policy does not allow to go to version ${desiredVersion} after that.`,
    );
  }
  return { decision: 'wait' };
}

function refuse(error: ErrorName, message: string): ConflictDecision {
  return { decision: 'refuse', error, message };
}
