import type { RolloutRequest } from '../rollout.ts';
import type { NewestWish } from './newest-wish.ts';
import { isAwaited } from './waiting.ts';

/** Clocks may differ by so much; a wish from further ahead was dated by one that is wrong. */
const SKEW_MS = 5 * 60_000;

type Wish = Pick<NewestWish, 'rolloutId' | 'desiredVersion' | 'at'>;

/**
 * The later wish; of two at the same time, because events carry whole seconds, the one for the higher
 * version. Of twins either may be the newer one, as long as it is always the same.
 */
export function isNewer(wish: Wish, other: Wish): boolean {
  const later = wish.at - other.at || wish.desiredVersion - other.desiredVersion;
  return later > 0 || (later === 0 && wish.rolloutId > other.rolloutId);
}

export function wishOf({ rolloutId, desiredVersion, startedBy }: RolloutRequest): Wish {
  return { rolloutId, desiredVersion, at: startedBy.at };
}

/** Whether a wish takes the place of the one that was the newest until `now`. */
export function replacesWish(wish: NewestWish, newest: NewestWish, now: number): boolean {
  return wish.rolloutId === newest.rolloutId || isNewer(wish, newest) || !counts(newest, now);
}

/** A wish that has to be reckoned with: it waits, or was opened. One that did not wake is gone. */
export function counts({ at, wakesAt }: NewestWish, now: number): boolean {
  return at <= now + SKEW_MS && (wakesAt === null || isAwaited(wakesAt, now));
}
