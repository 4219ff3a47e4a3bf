import type { JournalEntry } from '../journal.ts';
import type { Observation } from '../observation.ts';
import type { RolloutPlan } from '../rollout-plan.ts';
import { isInMidRoll } from './endpoint-verdict.ts';
import { isAnyAccepted } from './roll-history.ts';

/**
 * The endpoints to roll next, by position, rising: as many as are pending and may be unavailable now. What
 * was in mid-roll before is unavailable already, so it counts, and rolling it takes nobody's place. Until the
 * service has accepted a roll of this rollout one goes alone, so that a version which it refuses is refused
 * once. On the way back, what is known to be broken goes at once and does not count: it has nothing to lose.
 */
export function chooseRolls(
  plan: RolloutPlan,
  observations: readonly Observation[],
  journal: readonly JournalEntry[],
): number[] {
  const isBack = plan.direction === 'back';
  const counted = observations.filter(({ isBroken }) => isBroken !== true);
  const sent = counted.filter(isInMidRoll).length;
  const moving = counted.filter(({ isMoving }) => isMoving === true).length;
  let room = plan.maxUnavailable - sent - moving;
  let roomToTurn = isBack ? plan.maxUnavailable - sent : Number.POSITIVE_INFINITY;
  const mayGo = ({ isBroken, isMoving }: Observation): boolean => {
    if (isBroken) return true;
    if (isMoving) return roomToTurn-- > 0;
    return room-- > 0;
  };
  const chosen = observations.flatMap((each, position) =>
    each.state === 'pending' && mayGo(each) ? [position] : [],
  );
  if (isBack || isAnyAccepted(journal)) return chosen;
  return observations.some(isInMidRoll) ? [] : chosen.slice(0, 1);
}
