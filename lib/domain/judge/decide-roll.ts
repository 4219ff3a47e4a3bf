import type { Endpoint } from '../endpoint.ts';
import type { StatusWords } from '../policy.ts';
import type { PlannedEndpoint } from '../rollout-plan.ts';
import { isFailed, isStopped } from '../status.ts';
import { isForeign, isOnItsWay, isUnknownTo } from './observe-endpoint.ts';
import { isOverdue, isRefused, type RollHistory, wasSent } from './roll-history.ts';

/**
 * - `roll`: send it.
 * - `found-rolled`: we meant to roll it, never learned what came of it, and it is on its way.
 * - `leave`: nothing to send. It is there already, gone, stopped, somebody else's, refused for
 *   good, or an earlier roll may still show.
 */
export type RollDecision = 'roll' | 'found-rolled' | 'leave';

export interface RollEvidence {
  readonly planned: PlannedEndpoint;
  /** The endpoint in a list read just now. */
  readonly endpoint: Endpoint | undefined;
  readonly history: RollHistory;
  /** It was chosen as broken, beside those that may be unavailable: one that has recovered has to wait its turn. */
  readonly isBroken: boolean;
}

/** Decides whether an endpoint is rolled, from a list that was read for this decision at `now`. */
export function decideRoll(
  evidence: RollEvidence,
  statuses: StatusWords,
  now: number,
): RollDecision {
  const { planned, endpoint, history } = evidence;
  if (endpoint === undefined || isLeftAlone(evidence, endpoint, statuses)) return 'leave';
  if (endpoint.targetVersion === planned.desiredVersion) {
    return decideAtTarget(evidence, endpoint, statuses);
  }
  if (isRefused(history)) return 'leave';
  const isLost = endpoint.targetVersion !== null && isOverdue(history, now);
  return !wasSent(history) || isLost ? 'roll' : 'leave';
}

/** Its target is the desired version already. */
function decideAtTarget(
  { planned, history }: RollEvidence,
  endpoint: Endpoint,
  statuses: StatusWords,
): RollDecision {
  if (wasSent(history)) {
    // One that is there already may be an old answer, from when it was on that version before.
    const isFound = history.last?.result !== 'accepted' && isOnItsWay(planned, endpoint);
    return isFound ? 'found-rolled' : 'leave';
  }
  // Somebody rolled it there before, and it failed.
  const isStranded = planned.failedBefore && isFailed(endpoint, statuses);
  return isStranded && !isUnknownTo(planned, endpoint.liveVersion) ? 'roll' : 'leave';
}

/** Somebody else has moved or stopped it, or it was chosen as broken and has recovered. */
function isLeftAlone(
  { planned, isBroken }: RollEvidence,
  endpoint: Endpoint,
  statuses: StatusWords,
): boolean {
  const hasRecovered = isBroken && !isFailed(endpoint, statuses);
  return isForeign(planned, endpoint) || isStopped(endpoint, statuses) || hasRecovered;
}
