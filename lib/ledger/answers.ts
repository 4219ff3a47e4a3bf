import type { Signal } from '../domain/rollout/record.ts';
import { isAnswer, REJECT } from '../domain/signals/approval.ts';
import { wordsOf } from '../domain/signals/signals.ts';
import { IS_OPEN, isMet } from './condition.ts';
import { answererKey, answerKey, rolloutKey } from './keys.ts';
import { approvalNotWanted, notUnderstood, rolloutClosed, rolloutNotFound } from './refusals.ts';
import { get, getEach, type Item, listKeys, type Rule, update } from './storage.ts';

// What a person answers is an item of that person, so that a storage can keep others from writing it. The rollout's own
// item says to which wave answers are taken. Whoever goes on without an answer first sees to it that none is taken any
// more, and then reads those that were.

/** In the place of a wave: no answer is taken any more. */
export const NO_WAVE = -1;

/** Accepts a person's answer in one write, which also proves that it is wanted: the rollout has to read it from then on. */
export function* answer(rolloutId: string, { key: person = '', ...said }: Signal): Rule<void> {
  const wanted = { asks: { is: said.wave ?? NO_WAVE }, understands: { has: wordsOf(said) } };
  const isNew = { signals: { lacks: said } };
  const rollout = { key: rolloutKey(rolloutId), only: { ...IS_OPEN, ...wanted } };
  // It comes first, and again after a death in between. Without an answer it says nothing.
  if (isMet(rollout.only, yield* get(rollout.key, 'request', 'outcome', 'asks', 'understands'))) {
    const key = answererKey(rolloutId, person);
    yield* update({ key, set: { rolloutId }, only: { rolloutId: 'absent' } });
  }
  const key = answerKey(person, rolloutId);
  if (yield* update({ key, add: { signals: [said] }, only: isNew, given: rollout })) return;
  // The call may be made twice, and meanwhile the rollout may have followed the answer and ended.
  if (!isMet(isNew, yield* get(key, 'signals'))) return;
  const known = yield* get(rollout.key, 'runtimeId', 'outcome', 'asks', 'understands');
  if (known.runtimeId === undefined) throw rolloutNotFound(rolloutId);
  if (known.outcome !== undefined) throw rolloutClosed(rolloutId);
  throw isMet({ asks: wanted.asks }, known)
    ? notUnderstood(rolloutId, said)
    : approvalNotWanted(rolloutId, said);
}

/** Whoever may write a note may write many. */
const MOST_ANSWERERS = 500;

/** The persons that may have answered to a rollout: one more than `MOST_ANSWERERS`, if there are so many. */
export function* listAnswerers(rolloutId: string): Rule<readonly string[]> {
  const keys = yield* listKeys(answererKey(rolloutId, '').pk, MOST_ANSWERERS + 1);
  return keys.map(({ sk }) => sk);
}

/**
 * What people have answered so far. The key is that of the item: whatever an item says, it is of that person. One that
 * cannot be read is no answer. With more notes than are read, nobody's yes counts: a no may be behind the others.
 */
export function* answersTo(
  rolloutId: string,
  { asks }: Pick<Item, 'asks'>,
): Rule<readonly Signal[]> {
  if (asks === undefined) return [];
  const persons = yield* listAnswerers(rolloutId);
  if (persons.length === 0) return [];
  const items = yield* getEach(
    ...persons.map((person) => ({
      ...{ key: answerKey(person, rolloutId), fields: ['signals'] as const, isClaim: true },
    })),
  );
  const isAll = persons.length <= MOST_ANSWERERS;
  const counts = (one: Signal) => isAnswer(one) && (isAll || one.kind === REJECT.kind);
  return items
    .flatMap(({ signals = [] }, index) =>
      signals.flatMap((one) => (one && counts(one) ? { ...one, key: persons[index] ?? '' } : [])),
    )
    .toSorted((one, other) => one.at - other.at);
}

/** From now on no answer is taken. */
export function* takeNoAnswers(rolloutId: string, { asks }: Pick<Item, 'asks'>): Rule<void> {
  if (asks === undefined || asks === NO_WAVE) return;
  yield* update({ key: rolloutKey(rolloutId), set: { asks: NO_WAVE }, only: IS_OPEN });
}
