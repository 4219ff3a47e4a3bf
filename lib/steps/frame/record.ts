import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';

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
