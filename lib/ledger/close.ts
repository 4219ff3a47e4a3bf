import { OPEN_AS } from '../contract/ledger/table.ts';
import type { Outcome } from '../domain/rollout/outcome.ts';
import type { Signal } from '../domain/rollout/record.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import { areAmong } from '../domain/signals/approval.ts';
import { answersTo, NO_WAVE, takeNoAnswers } from './answers.ts';
import { IS_OPEN, type ItemCondition } from './condition.ts';
import { endOf, letExpire, type Retention } from './history.ts';
import { heedEnd } from './holds.ts';
import { rolloutKey } from './keys.ts';
import { leaveLine } from './latest.ts';
import { findLease, release } from './lease.ts';
import { knownAmong } from './record.ts';
import { rolloutNotFound } from './refusals.ts';
import { get, type Item, type Rule, update } from './storage.ts';

/**
 * @param read The signals that the outcome takes into account. @default - all
 * @param condition @default - nothing else
 */
export function* close(
  rolloutId: string,
  outcome: Outcome,
  now: number,
  read?: readonly Signal[],
  history?: Retention,
  condition?: ItemCondition,
): Rule<Outcome | null> {
  const ended = yield* storeOutcome(rolloutId, outcome, now, read, history, condition);
  return yield* giveBack(rolloutId, ended, history);
}

interface Ended {
  readonly request: AskedRequest | undefined;
  readonly runtimeId: string;
  readonly epoch: number | undefined;
  readonly endedAt: number | undefined;
  /** The first one that was stored. `null`: the condition does not hold, and the rollout has not ended. */
  readonly outcome: Outcome | null;
}

/** Stores the outcome of a rollout without one, and leaves its lease. @param condition @default - nothing else */
export function* storeOutcome(
  rolloutId: string,
  outcome: Outcome,
  now: number,
  read?: readonly Signal[],
  history?: Retention,
  condition: ItemCondition = {},
): Rule<Ended> {
  const key = rolloutKey(rolloutId);
  const known = yield* get(
    key,
    ...(['request', 'runtimeId', 'epoch', 'outcome', 'endedAt', 'signals', 'asks'] as const),
  );
  const { request, runtimeId, epoch, signals = [] } = known;
  if (runtimeId === undefined) throw rolloutNotFound(rolloutId);
  const of = { request, runtimeId, epoch };
  if (known.outcome !== undefined) {
    return { ...of, outcome: known.outcome, endedAt: known.endedAt };
  }
  const unknown = signals.length - knownAmong(signals).length;
  const heardAll = read === undefined ? {} : yield* hasHeardAll(rolloutId, known, read, unknown);
  const isStored =
    heardAll !== null &&
    (yield* update({
      key,
      // This is one write. If the event of an outcome were not marked as unsent, it would never be sent.
      set: { outcome, ...endOf(now, request, history), openAs: OPEN_AS.event },
      only: { ...IS_OPEN, ...heardAll, ...condition },
    }));
  if (isStored) return { ...of, outcome, endedAt: now };
  const stored = yield* get(key, 'outcome', 'endedAt');
  return { ...of, outcome: stored.outcome ?? null, endedAt: stored.endedAt };
}

/**
 * The condition that nothing was said but what was read. First no answer is taken any more, because they are other items.
 * `null`: there is an answer that was not read. One that was read may be gone, because whoever gave it may remove it.
 */
function* hasHeardAll(
  rolloutId: string,
  known: Pick<Item, 'asks'>,
  read: readonly Signal[],
  unknown: number,
): Rule<ItemCondition | null> {
  yield* takeNoAnswers(rolloutId, known);
  if (!areAmong(yield* answersTo(rolloutId, known), read)) return null;
  const asks = known.asks === undefined ? 'absent' : { is: NO_WAVE };
  return { asks, signals: { size: knownAmong(read).length + unknown } };
}

/** This is also done when the outcome was there already, because whoever stored it may have died before this. */
function* giveBack(rolloutId: string, ended: Ended, history?: Retention): Rule<Outcome | null> {
  const { request, runtimeId, epoch, outcome, endedAt } = ended;
  if (outcome === null) return null;
  // Whoever takes over the lease of a rollout that has ended does this again: so no other rollout begins before.
  if (request !== undefined && endedAt !== undefined) yield* heedEnd({ request, outcome, endedAt });
  // The lease is given back last: as long as it is held, somebody closes the rollout again.
  if (endedAt !== undefined) yield* letExpire(rolloutId, endedAt, request, history);
  // A rollout that was closed while it was being opened may have taken a lease that its item does not know.
  if (epoch === undefined && request !== undefined) yield* leaveLine(request);
  const held = epoch === undefined ? yield* findLease(runtimeId) : { rolloutId, epoch };
  if (held?.rolloutId === rolloutId) {
    yield* release({ runtimeId, rolloutId, epoch: held.epoch });
  }
  return outcome;
}
