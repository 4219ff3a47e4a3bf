import { expiresAt, hasLeftHistory } from '../domain/rollout/history.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import { listAnswerers } from './answers.ts';
import { answererKey, answerKey, rolloutKey } from './keys.ts';
import { expire, type Item, type Rule, update } from './storage.ts';

/** How long rollouts that have ended stay, in a storage that removes them by itself, item by item. */
export interface Retention {
  /** @default - for ever */
  readonly days?: number | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Whether nobody may read a rollout any more: some of its items may be gone. */
export function isGone(item: Item, history: Retention | undefined): boolean {
  return history !== undefined && hasLeftHistory(item, history.days, history.now());
}

/** The fields that the item of a rollout gets with its end. */
export function endOf(endedAt: number, request: AskedRequest | undefined, history?: Retention) {
  const { days } = history ?? {};
  return { endedAt, ...(days !== undefined && { expiresAt: expiresAt(endedAt, request, days) }) };
}

/**
 * Lets the storage remove everything of a rollout that has ended. It may be done again: what has a time already keeps
 * it.
 */
export function* letExpire(
  rolloutId: string,
  endedAt: number,
  request: AskedRequest | undefined,
  history?: Retention,
): Rule<void> {
  const end = endOf(endedAt, request, history);
  if (end.expiresAt === undefined) return;
  yield* expire({ pk: rolloutKey(rolloutId).pk, at: end.expiresAt });
  const answerers = yield* listAnswerers(rolloutId);
  for (const person of answerers) {
    const answer = answerKey(person, rolloutId);
    // Whoever is named there need not have answered.
    const only = { signals: 'present', expiresAt: 'absent' } as const;
    yield* update({ key: answer, set: { expiresAt: end.expiresAt }, only });
  }
  if (answerers.length > 0) yield* expire({ pk: answererKey(rolloutId, '').pk, at: end.expiresAt });
}
