import { signalRecord } from '../../../contract/ledger/records.ts';
import type { Signal } from '../../../domain/rollout/record.ts';
import { rolloutClosed, rolloutNotFound } from '../ledger-errors.ts';
import {
  findRollout,
  IS_OPEN,
  joinParts,
  pack,
  type RolloutItem,
  rolloutKey,
  unpack,
} from './items.ts';
import type { Item, Table, Update } from './table.ts';

/**
 * Adds a signal to the rollout's own item, so one write both checks that the rollout is open and adds the signal.
 * Once there is an outcome, a signal is refused. An outcome is not stored if a signal came first.
 */
export async function addSignal(table: Table, rolloutId: string, signal: Signal): Promise<void> {
  const said = pack(signal);
  const added = await table.update(rolloutKey(rolloutId), {
    expression: 'SET signalData = list_append(if_not_exists(signalData, :none), :added)',
    // The call may be made twice, and meanwhile the rollout may have followed the signal and ended.
    condition: `${IS_OPEN} AND NOT contains(signalData, :said)`,
    values: { ':none': [], ':added': [said], ':said': said },
  });
  if (added !== null) return;
  const rollout = await findRollout(table, rolloutId);
  if (rollout === null) throw rolloutNotFound(rolloutId);
  const isThere = rollout.signalData.some((known) => Buffer.compare(known, said) === 0);
  if (!isThere) throw rolloutClosed(rolloutId);
}

export async function readSignals(table: Table, rolloutId: string): Promise<Signal[]> {
  const [older, rollout] = await Promise.all([
    readOlder(table, rolloutId),
    findRollout(table, rolloutId),
  ]);
  return rollout === null ? older : [...older, ...signalsOf(rollout)];
}

/** The condition that a rollout has no more than this number of signals. */
export async function noMoreSignalsThan(
  table: Table,
  rolloutId: string,
  signalsRead: number,
): Promise<Required<Pick<Update, 'condition' | 'values'>>> {
  const inItem = signalsRead - (await readOlder(table, rolloutId)).length;
  return inItem === 0
    ? { condition: 'attribute_not_exists(signalData)', values: {} }
    : { condition: 'size(signalData) = :signalsRead', values: { ':signalsRead': inItem } };
}

export function signalsOf({ signalData }: RolloutItem): Signal[] {
  return signalData.map((said) => unpack(signalRecord, said));
}

/**
 * Older versions of steproll store each signal as its own item, and somebody may still send an abort with one of
 * them.
 */
export const OLDER_SIGNAL = 'signal#';

export function olderSignals(items: readonly Item[]): Signal[] {
  return joinParts(signalRecord, items);
}

async function readOlder(table: Table, rolloutId: string): Promise<Signal[]> {
  return olderSignals(await table.list(rolloutKey(rolloutId).pk, OLDER_SIGNAL));
}
