import { isStillTaken, ONCE_MS, type ReleaseWish } from '../domain/trigger/once.ts';
import { releaseKey } from './keys.ts';
import { readSummary } from './record.ts';
import { changedTooOften, MOST_PASSES } from './refusals.ts';
import { get, type Rule, update } from './storage.ts';

/** The rollout because of which an event of a release would start none. `null`: it would start its own. */
export function* findTaker(
  { release, at }: Omit<ReleaseWish, 'rolloutId'>,
  now: number,
): Rule<string | null> {
  const { rolloutId, askedAt } = yield* get(releaseKey(release), 'rolloutId', 'askedAt');
  if (rolloutId === undefined || askedAt === undefined) return null;
  return isStillTaken(askedAt, at, yield* readSummary(rolloutId), now) ? rolloutId : null;
}

/** Reads, decides and writes, on condition that nothing has changed since the read. */
export function* takeRelease({ release, rolloutId, at }: ReleaseWish, now: number): Rule<string> {
  const key = releaseKey(release);
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const { rolloutId: taker, askedAt } = yield* get(key, 'rolloutId', 'askedAt');
    if (taker !== undefined && askedAt !== undefined) {
      if (isStillTaken(askedAt, at, yield* readSummary(taker), now)) return taker;
    }
    const isMine = yield* update({
      key,
      set: { rolloutId, askedAt: now, expiresAt: Math.ceil((now + ONCE_MS) / 1000) },
      only: { rolloutId: taker === undefined ? 'absent' : { is: taker } },
    });
    if (isMine) return rolloutId;
  }
  throw changedTooOften('The rollout of a release', 'changed');
}
