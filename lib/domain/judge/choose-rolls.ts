import type { JournalEntry } from '../journal.ts';
import type { Observation } from '../observation.ts';
import type { RolloutPlan } from '../rollout-plan.ts';
import { isInMidRoll } from './endpoint-verdict.ts';
import { isAnyAccepted } from './roll-history.ts';

/**
 * The endpoints to roll next, by position, rising: as many as are pending and may be unavailable now. What
 * an earlier rollout left in mid-roll is unavailable already, so it counts, and rolling it costs nothing.
 * Until the service has accepted a roll of this rollout one goes alone, so that a version which it
 * refuses is refused once. On the way back, what is broken goes at once: it has nothing to lose.
 */
export function chooseRolls(
  plan: RolloutPlan,
  observations: readonly Observation[],
  journal: readonly JournalEntry[],
): number[] {
  const isBack = plan.direction === 'back';
  const isFree = (position: number) => plan.endpoints[position]?.isBroken === true;
  const isMoving = (each: Observation) => !isBack && each.isMoving === true;
  const mid = observations.filter(
    (each, position) => (isInMidRoll(each) && !isFree(position)) || isMoving(each),
  );
  let room = plan.maxUnavailable - mid.length;
  const chosen = observations.flatMap((each, position) => {
    if (each.state !== 'pending') return [];
    if (isFree(position) || isMoving(each)) return [position];
    room -= 1;
    return room >= 0 ? [position] : [];
  });
  if (isBack || isAnyAccepted(journal)) return chosen;
  return observations.some(isInMidRoll) ? [] : chosen.slice(0, 1);
}
