import { signalRecord } from '../../../contract/ledger/records.ts';
import type { Signal } from '../../../domain/rollout/record.ts';
import { wordsOf } from '../../../domain/signals/signals.ts';
import { notUnderstood, rolloutClosed, rolloutNotFound } from '../ledger-errors.ts';
import { findRollout, IS_OPEN, pack, type RolloutItem, rolloutKey, unpack } from './items.ts';
import type { Table, Update } from './table.ts';

/**
 * Adds a signal to the rollout's own item, so one write both checks that the rollout is open and understands the signal,
 * and adds it.
 * Once there is an outcome, a signal is refused. An outcome is not stored if a signal came first.
 */
export async function addSignal(table: Table, rolloutId: string, signal: Signal): Promise<void> {
  const said = pack(signal);
  const words = wordsOf(signal).map((word, index) => [`:word${index}`, word] as const);
  const added = await table.update(rolloutKey(rolloutId), {
    expression: 'SET signalData = list_append(if_not_exists(signalData, :none), :added)',
    // The call may be made twice, and meanwhile the rollout may have followed the signal and ended.
    condition: [
      `${IS_OPEN} AND NOT contains(signalData, :said)`,
      ...words.map(([name]) => `contains(understands, ${name})`),
    ].join(' AND '),
    values: { ...Object.fromEntries(words), ':none': [], ':added': [said], ':said': said },
  });
  if (added !== null) return;
  const rollout = await findRollout(table, rolloutId);
  if (rollout === null) throw rolloutNotFound(rolloutId);
  const isThere = rollout.signalData.some((known) => Buffer.compare(known, said) === 0);
  if (isThere) return;
  throw rollout.outcomeData === undefined
    ? notUnderstood(rolloutId, signal)
    : rolloutClosed(rolloutId);
}

export async function readSignals(table: Table, rolloutId: string): Promise<Signal[]> {
  const rollout = await findRollout(table, rolloutId);
  return rollout === null ? [] : signalsOf(rollout);
}

/** The condition that a rollout has no more than this number of signals, besides those that this version does not know. */
export async function noMoreSignalsThan(
  table: Table,
  rolloutId: string,
  signalsRead: number,
): Promise<Required<Pick<Update, 'condition' | 'values'>>> {
  const rollout = await findRollout(table, rolloutId);
  const unknown = rollout === null ? 0 : rollout.signalData.length - signalsOf(rollout).length;
  const inItem = signalsRead + unknown;
  return inItem === 0
    ? { condition: 'attribute_not_exists(signalData)', values: {} }
    : { condition: 'size(signalData) = :inItem', values: { ':inItem': inItem } };
}

export function signalsOf({ signalData }: RolloutItem): Signal[] {
  return signalData.flatMap((said) => unpack(signalRecord, said) ?? []);
}
