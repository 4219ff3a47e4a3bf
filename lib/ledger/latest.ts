import { type LatestRequest, replacesLatest } from '../domain/turn/queue.ts';
import { latestKey, type OfRuntime } from './keys.ts';
import { changedTooOften, MOST_PASSES } from './refusals.ts';
import { get, type Rule, update } from './storage.ts';

/** Reads, decides and writes, on condition that nothing has changed since the read. */
export function* recordLatestRequest(request: LatestRequest, now: number): Rule<void> {
  const { runtimeId, rolloutId, desiredVersion, at, wakesAt } = request;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const newest = yield* findLatestRequest(request);
    if (newest !== null && !replacesLatest(request, newest, now)) return;
    const isRecorded = yield* update({
      key: latestKey(request),
      set: { rolloutId, desiredVersion, askedAt: at, wakesAt },
      only: newest === null ? { rolloutId: 'absent' } : isStill(newest),
    });
    if (isRecorded) return;
  }
  throw changedTooOften(`The latest request for runtime ${JSON.stringify(runtimeId)}`, 'changed');
}

function isStill({ rolloutId, at, wakesAt }: LatestRequest) {
  return {
    ...{ rolloutId: { is: rolloutId }, askedAt: { is: at } },
    wakesAt: wakesAt === null ? ('absent' as const) : { is: wakesAt },
  };
}

export function* findLatestRequest({
  runtimeId,
  endpointUrl,
}: OfRuntime): Rule<LatestRequest | null> {
  const key = latestKey({ runtimeId, endpointUrl });
  const stored = yield* get(key, 'rolloutId', 'desiredVersion', 'askedAt', 'wakesAt');
  const { rolloutId, desiredVersion, askedAt: at, wakesAt = null } = stored;
  if (rolloutId === undefined || desiredVersion === undefined || at === undefined) return null;
  return { runtimeId, endpointUrl, rolloutId, desiredVersion, at, wakesAt };
}
