import type { JournalEntry, Observation, RolloutPlan } from '../rollout.ts';
import { isInMidRoll } from './endpoint-verdict.ts';
import { isAnyAccepted } from './roll-history.ts';

/**
 * The endpoints to roll next, by position, rising: as many as are pending and may be unavailable now.
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
  const limit = isBack || isAnyAccepted(journal) ? plan.maxUnavailable : 1;
  let room =
    limit - observations.filter((each, position) => isInMidRoll(each) && !isFree(position)).length;
  return observations.flatMap(({ state }, position) => {
    if (state !== 'pending') return [];
    if (isFree(position)) return [position];
    room -= 1;
    return room >= 0 ? [position] : [];
  });
}
