import type { Observation } from '../rollout.ts';
import { isInMidRoll } from './judge-wave.ts';

/**
 * The endpoints to roll next, by position, rising: as many as are pending and may be unavailable now.
 * Until the service has accepted a roll of this rollout one goes alone, so that a version which it
 * refuses is refused once.
 */
export function chooseRolls(
  observations: readonly Observation[],
  maxUnavailable: number,
  isAccepted: boolean,
): number[] {
  const inMidRoll = observations.filter(isInMidRoll).length;
  const room = Math.max(0, (isAccepted ? maxUnavailable : 1) - inMidRoll);
  return observations
    .flatMap(({ state }, index) => (state === 'pending' ? [index] : []))
    .slice(0, room);
}
