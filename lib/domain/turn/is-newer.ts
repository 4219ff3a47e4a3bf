import type { RolloutRequest } from '../rollout.ts';

type Wish = Pick<RolloutRequest, 'desiredVersion' | 'startedBy'>;

/** The later wish; of two at the same time, the one for the higher version: events carry whole seconds. */
export function isNewer(wish: Wish, other: Wish): boolean {
  const laterMs = wish.startedBy.at - other.startedBy.at;
  return laterMs > 0 || (laterMs === 0 && wish.desiredVersion > other.desiredVersion);
}
