import type { Instant } from '../domain/clock.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import {
  type DatedRequest,
  type LatestRequest,
  newestBegun,
  replacesLatest,
} from '../domain/turn/queue.ts';
import { latestKey, type OfRuntime } from './keys.ts';
import { changedTooOften, MOST_PASSES } from './refusals.ts';
import { get, type Rule, update } from './storage.ts';

/** Reads, decides and writes, on condition that nothing has changed since the read. Answers whether it is recorded. */
export function* recordLatestRequest(
  request: LatestRequest,
  now: number,
  before?: LatestRequest | null,
): Rule<boolean> {
  if (before !== undefined) return yield* replace(before, request, now);
  const { runtimeId } = request;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const newest = yield* findLatestRequest(request);
    if (newest !== null && !replacesLatest(request, newest, now)) {
      // A newer one waits, perhaps in vain: what has begun is known all the same.
      if (yield* noteBegun(newest, newestBegun(request, newest, now))) return false;
      continue;
    }
    const lookedAt = newest?.lookedAt ?? request.lookedAt ?? null;
    if (yield* replace(newest, { ...request, lookedAt }, now)) return true;
  }
  throw changedTooOften(`The latest request for runtime ${JSON.stringify(runtimeId)}`, 'changed');
}

function* replace(
  before: LatestRequest | null,
  request: LatestRequest,
  now: Instant,
): Rule<boolean> {
  const { rolloutId, desiredVersion, at, wakesAt, lookedAt } = request;
  return yield* update({
    key: latestKey(request),
    set: {
      ...{ rolloutId, desiredVersion, askedAt: at, wakesAt, lookedAt: lookedAt ?? null },
      ...begunFields(newestBegun(request, before, now)),
    },
    only: before === null ? { rolloutId: 'absent' } : isStill(before),
  });
}

function* noteBegun(before: LatestRequest, begun: DatedRequest | undefined): Rule<boolean> {
  if (begun?.rolloutId === before.begun?.rolloutId) return true;
  return yield* update({
    key: latestKey(before),
    set: begunFields(begun),
    only: isStill(before),
  });
}

function begunFields(begun: DatedRequest | undefined) {
  if (begun === undefined) return {};
  const { rolloutId, desiredVersion, at } = begun;
  return { begunId: rolloutId, begunVersion: desiredVersion, begunAskedAt: at };
}

function isStill({ rolloutId, at, wakesAt, lookedAt, begun }: LatestRequest) {
  return {
    ...{ rolloutId: { is: rolloutId }, askedAt: { is: at } },
    wakesAt: wakesAt === null ? ('absent' as const) : { is: wakesAt },
    lookedAt: lookedAt == null ? ('absent' as const) : { is: lookedAt },
    begunId: begun === undefined ? ('absent' as const) : { is: begun.rolloutId },
  };
}

export function* findLatestRequest({
  runtimeId,
  endpointUrl,
}: OfRuntime): Rule<LatestRequest | null> {
  const key = latestKey({ runtimeId, endpointUrl });
  const stored = yield* get(
    key,
    ...(['rolloutId', 'desiredVersion', 'askedAt', 'wakesAt', 'lookedAt'] as const),
    ...(['begunId', 'begunVersion', 'begunAskedAt'] as const),
  );
  const { rolloutId, askedAt: at } = stored;
  if (rolloutId === undefined || at === undefined) return null;
  const { desiredVersion = null, wakesAt = null, lookedAt } = stored;
  const { begunId, begunVersion = null, begunAskedAt = 0 } = stored;
  return {
    runtimeId,
    endpointUrl,
    rolloutId,
    desiredVersion,
    at,
    wakesAt,
    ...(lookedAt !== undefined && { lookedAt }),
    ...(begunId !== undefined && {
      begun: { rolloutId: begunId, desiredVersion: begunVersion, at: begunAskedAt },
    }),
  };
}

/** The request of a rollout that ends without having begun makes room for others, as if it were awaited no more. */
export function* leaveLine({ endpointUrl, runtimeId, rolloutId }: AskedRequest): Rule<void> {
  if (endpointUrl === undefined) return;
  yield* update({
    key: latestKey({ runtimeId, endpointUrl }),
    set: { wakesAt: 0 },
    only: { rolloutId: { is: rolloutId }, wakesAt: 'present' },
  });
}
