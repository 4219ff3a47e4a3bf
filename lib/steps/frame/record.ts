import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { AskedRollout, Signal } from '../../domain/rollout/record.ts';
import { kindOf } from '../../domain/signals/signals.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { RecordPorts } from './ports.ts';

/**
 * Closes a rollout with regard to all of its signals up to that moment. `decide` gets the record. As long as it
 * answers `null`, because new signals came before it could close the rollout, it gets a newer record.
 */
export async function closeOnLatestRecord<T>(
  rolloutId: string,
  ledger: Pick<Ledger, 'read'>,
  decide: (record: AskedRollout | null) => Promise<T | null>,
): Promise<T> {
  for (;;) {
    const closed = await decide(await findRecord(rolloutId, ledger));
    if (closed !== null) return closed;
  }
}

/** The ledger's record of a rollout; `null` when nobody has asked for the rollout. */
export async function findRecord(
  rolloutId: string,
  ledger: Pick<Ledger, 'read'>,
): Promise<AskedRollout | null> {
  try {
    return await ledger.read(rolloutId);
  } catch (error) {
    if (errorNameOf(error) === ErrorName.RolloutNotFound) return null;
    throw error;
  }
}

/** The signals of a rollout that count. Of some kinds that depends on how their sender stands now. */
export async function signalsThatCount(
  signals: readonly Signal[],
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<readonly Signal[]> {
  const counted: Signal[] = [];
  for (const signal of signals) {
    const { counts } = kindOf(signal);
    if (!counts || counts(await findRecord(signal.by, ledger), clock.now())) counted.push(signal);
  }
  return counted;
}
