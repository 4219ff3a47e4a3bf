import type { Field, Fields } from '../contract/ledger/fields.ts';
import { afterEnd, concernsQuarantine, type Ended } from '../domain/ending/quarantine.ts';
import { endOf, type Hold, isOver, MOST_HOLDS, MOST_PINS, PIN } from '../domain/holds/hold.ts';
import { pastHolds, toldAfter } from '../domain/holds/news.ts';
import type { Lease } from '../domain/rollout/lease.ts';
import type { Heard } from '../ports/ledger.ts';
import { HOLDS_KEY, holdsKey, rolloutKey, UNLOCKS_KEY } from './keys.ts';
import { saidTo } from './record.ts';
import {
  changedTooOften,
  holdsNothing,
  MOST_PASSES,
  tooManyHolds,
  tooManyPins,
} from './refusals.ts';
import { get, getEach, type Key, list, type Rule, update } from './storage.ts';

/** What a rollout has to heed, in one read. */
export function* hear(of: OfRollout): Rule<Heard> {
  const [rollout, holds] = yield* getWithHolds(of, 'signals', 'asks');
  return { signals: yield* saidTo(of.rolloutId, rollout), holds };
}

type OfRollout = Pick<Lease, 'rolloutId' | 'runtimeId'>;

/** Fields of the rollout, and what may hold it, in one read. */
export function* getWithHolds<F extends Field>(
  { rolloutId, runtimeId }: OfRollout,
  ...fields: readonly F[]
): Rule<readonly [Partial<Pick<Fields, F>>, readonly Hold[]]> {
  const ofEverything = holdsKey({});
  const ofRuntime = holdsKey({ runtimeId });
  const holdKeys = ofRuntime.sk === ofEverything.sk ? [ofEverything] : [ofEverything, ofRuntime];
  const [rollout = {}, ...held] = yield* getEach(
    { key: rolloutKey(rolloutId), fields },
    ...holdKeys.map((key) => ({ key, fields: ['holds'] as const })),
  );
  const standing = held.flatMap(({ holds = [] }) => holds).filter(({ lifted }) => !lifted);
  return [rollout, standing];
}

export function* listHolds(): Rule<readonly Hold[]> {
  const items = [...(yield* list(HOLDS_KEY)), ...(yield* list(UNLOCKS_KEY))];
  return items.flatMap(({ item: { holds = [] } }) => holds);
}

/** @throws `InvalidInput` for a hold that is over: it would hold nothing. */
export function* addHold(hold: Hold, now: number): Rule<void> {
  if (isOver(hold, now)) throw holdsNothing(endOf(hold), now);
  yield* change(holdsKey(hold.scope, hold.kind), (holds) => {
    // The call, or its write, may be made twice. Holds of two kinds may have one id, and are lifted together.
    if (holds.some(({ id, kind }) => id === hold.id && kind === hold.kind)) return null;
    const past = pastHolds(holds, now);
    const standing = holds.filter((one) => !isOver(one, now));
    const pins = standing.filter(({ kind }) => kind === PIN);
    if (hold.kind === PIN && pins.length >= MOST_PINS) throw tooManyPins();
    if (standing.length >= MOST_HOLDS) throw tooManyHolds();
    return [...past, ...standing, hold];
  });
}

export function* liftHold(
  { id, kind, scope }: Pick<Hold, 'id' | 'scope'> & Partial<Pick<Hold, 'kind'>>,
  lifted: Required<Hold>['lifted'],
): Rule<boolean> {
  let isThere = false;
  yield* change(holdsKey(scope, kind), (holds) => {
    // The write may be made twice: then it is lifted when it is looked for once more.
    if (!holds.some((one) => one.id === id && !one.lifted)) return null;
    isThere = true;
    return holds.map((one) => (one.id === id ? { ...one, lifted } : one));
  });
  return isThere;
}

/** Notes what was sent of a hold. */
export function* markTold(
  { id, kind, scope }: Pick<Hold, 'id' | 'kind' | 'scope'>,
  notes: readonly string[],
): Rule<void> {
  yield* change(holdsKey(scope, kind), (holds) => {
    const hold = holds.find((one) => one.id === id && one.kind === kind);
    if (hold === undefined || notes.every((note) => hold.told?.includes(note))) return null;
    const told = [...toldAfter(hold.told, notes)];
    return holds.map((one) => (one === hold ? { ...one, told } : one));
  });
}

/** Puts the version of a rollout that has ended in quarantine, or takes it out; may be done again. */
export function* heedEnd(ended: Ended): Rule<void> {
  if (!concernsQuarantine(ended)) return;
  const { runtimeId } = ended.request;
  yield* change(holdsKey({ runtimeId }), (holds) => afterEnd(holds, ended));
}

/** Reads, decides and writes, if nothing has changed since. @param decide `null`: there is nothing to change. */
function* change(key: Key, decide: (holds: readonly Hold[]) => readonly Hold[] | null): Rule<void> {
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const { holds = [], revision } = yield* get(key, 'holds', 'revision');
    const changed = decide(holds);
    if (changed === null) return;
    const isChanged = yield* update({
      key,
      set: { holds: [...changed], revision: (revision ?? 0) + 1 },
      only: { revision: revision === undefined ? 'absent' : { is: revision } },
    });
    if (isChanged) return;
  }
  throw changedTooOften('The list of holds', 'changed');
}
