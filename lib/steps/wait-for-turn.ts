import type { RolloutRequest } from '../domain/rollout.ts';
import type { NewestWish } from '../domain/turn/newest-wish.ts';
import type { RecordPorts } from './step-ports.ts';

/** Keeps a rollout's wish while it waits, so that older ones make room for it. */
export async function waitForTurn(
  request: RolloutRequest,
  newest: NewestWish | null,
  seconds: number,
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<{ readonly next: 'queue'; readonly seconds: number }> {
  const now = clock.now();
  const since = waitingSince(request, newest, now);
  await ledger.recordWish({ ...toWish(request), since, wakesAt: now + seconds * 1000 }, now);
  return { next: 'queue', seconds };
}

/** Milliseconds since the Unix epoch. */
export function waitingSince(
  { rolloutId }: RolloutRequest,
  newest: NewestWish | null,
  now: number,
): number {
  return newest?.rolloutId === rolloutId ? newest.since : now;
}

export function toWish({ rolloutId, runtimeId, desiredVersion, startedBy }: RolloutRequest) {
  return { rolloutId, runtimeId, desiredVersion, at: startedBy.at };
}
