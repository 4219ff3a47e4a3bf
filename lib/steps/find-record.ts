import { ErrorName, errorNameOf } from '../domain/errors.ts';
import type { AskedRollout } from '../domain/rollout.ts';
import type { Ledger } from '../ports/ledger.ts';

/** What the ledger holds of a rollout, or `null` when nobody has asked for it. */
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
