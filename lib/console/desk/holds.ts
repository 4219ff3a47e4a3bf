import { randomUUID } from 'node:crypto';
import { systemClock } from '../../adapters/machine/clock.ts';
import type { Engine } from '../../cli/engine/engine.ts';
import { ownerHere } from '../../cli/engine/who-is-here.ts';
import { describeAdded, findAffected, holdingFrom, scopeOfRollout } from '../../cli/hold/add.ts';
import { findHeld, findStanding, refuseForeign } from '../../cli/hold/lift.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import {
  describeHold,
  describeScope,
  endOf,
  HELD,
  type Hold,
  type HoldScope,
  holdsUnderWay,
  lengthMistakes,
  scopeMistakes,
  UNLOCK,
} from '../../domain/holds/hold.ts';
import { clockTime } from '../../domain/local-time.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { plainText } from '../../telling/text.ts';
import type { HoldAsked, LiftAsked } from '../asked.ts';
import type { Done, StandingHold } from '../desk.ts';

/** Every hold in force as the pages show it. Holds that have one id are one. @param me Who looks, from `ownerHere`. */
export function toStanding(holds: readonly Hold[], me: string): readonly StandingHold[] {
  const together = [...Map.groupBy(holds, ({ id, scope }) => JSON.stringify([id, scope])).values()];
  return together
    .flatMap((own): StandingHold[] => {
      const [first] = own;
      if (first === undefined) return [];
      const { id, scope, by, reason, after } = first;
      const ends = Math.max(...own.map(endOf));
      const until = Number.isFinite(ends) ? ends : null;
      const kinds = own.map(({ kind }) => kind);
      // What nobody has added is everybody's.
      const isOwn = by === me || after !== undefined;
      return [{ id, kinds, scope, on: describeScope(scope), by, isOwn, reason, until }];
    })
    .toSorted((one, other) => widthOf(one) - widthOf(other));
}

function widthOf({ scope }: StandingHold): number {
  return Object.keys(scope).length;
}

/** Adds holds of several kinds with one id. @param where As `describeAdded` has it. @throws `InvalidInput`, `RolloutNotFound`, `RolloutClosed`. */
export async function addHolds(asked: HoldAsked, engine: Engine, where: string): Promise<Done> {
  const { kinds, seconds, reason } = asked;
  const scope = await scopeOf(asked, engine.ledger);
  const now = holdingFrom(engine);
  const until = now + seconds * 1_000;
  const id = (asked.key ?? randomUUID()).slice(0, 8);
  const by = await ownerHere(engine);
  const already = heldMeanwhile(asked, id, scope, await findStanding(engine.ledger));
  if (already !== null) return { message: plainText(already), rolloutId: null };
  // What has begun meanwhile is paused then.
  const inOrder = kinds
    .toSorted(
      (one, other) => Number(holdsUnderWay({ kind: one })) - Number(holdsUnderWay({ kind: other })),
    )
    .map((kind): Hold => ({ id, kind, scope, by, reason, at: now, until }));
  for (const hold of inOrder) await engine.ledger.addHold(hold, now);
  const last = inOrder.at(-1);
  const affected = last ? await findAffected(last, engine).catch(() => []) : [];
  return { message: plainText(describeAdded(inOrder, affected, where).join(' ')), rolloutId: null };
}

/** That somebody has held the same meanwhile, as in another window. `null`: nobody has. */
function heldMeanwhile(
  { kinds, seen }: HoldAsked,
  id: string,
  scope: HoldScope,
  standing: readonly Hold[],
): string | null {
  if (seen === undefined) return null;
  const isSame = (one: Hold) =>
    one.id !== id && !seen.includes(one.id) && describeScope(one.scope) === describeScope(scope);
  const same = kinds.map((kind) => standing.find((one) => one.kind === kind && isSame(one)));
  const [first] = same;
  if (first === undefined || same.includes(undefined)) return null;
  return `This was done already, and not a second time. ${describeHold(first)}`;
}

async function scopeOf(
  { kinds, runtimeId, rolloutId, version, seconds }: HoldAsked,
  ledger: Pick<Ledger, 'read'>,
): Promise<HoldScope> {
  const scope: HoldScope = { ...(runtimeId && { runtimeId }), ...(version && { version }) };
  const mistakes = scopeMistakes(kinds, scope);
  const mayBeOnOne = kinds.every((kind) => HELD[kind].mayBeOnOne);
  if (rolloutId && !mayBeOnOne) mistakes.push('kinds: one rollout can only be paused');
  mistakes.push(...lengthMistakes(kinds, scope, seconds * 1_000, 'seconds'));
  if (kinds.some((kind) => kind === UNLOCK) && kinds.length > 1)
    mistakes.push('kinds: an unlock stands alone');
  if (mistakes.length > 0) throw invalidInput('hold', mistakes);
  return rolloutId ? scopeOfRollout(rolloutId, ledger) : scope;
}

/** Lifts every hold with this id. @throws `NotHeld`, `Held`. */
export async function liftHolds(
  id: string,
  { reason, isForced }: LiftAsked,
  engine: Pick<Engine, 'ledger' | 'caller'>,
): Promise<Done> {
  const { ledger } = engine;
  const all = (await ledger.listHolds()).filter((one) => one.id === id);
  const lifter = all.every(({ lifted }) => lifted !== undefined) ? all[0]?.lifted : undefined;
  if (lifter !== undefined) {
    const message = `It is lifted already: ${lifter.by} lifted it at ${clockTime(lifter.at)}.`;
    return { message: plainText(message), rolloutId: null };
  }
  const holds = await findHeld(id, ledger);
  const by = await ownerHere(engine);
  if (!isForced) refuseForeign(holds, by, 'Say that you lift it all the same.');
  const lifted = { by, reason, at: systemClock.now() };
  for (const hold of holds) await ledger.liftHold(hold, lifted);
  const what = `${holds.map(({ kind }) => kind).join(' and ')} of ${describeScope(holds[0]?.scope ?? {})}`;
  return { message: plainText(`Lifted the ${what}.`), rolloutId: null };
}
