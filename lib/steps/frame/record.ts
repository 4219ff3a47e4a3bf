import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';

/**
 * Closes a rollout by what was said to it until that very moment: `decide` gets the record, and again a newer one as
 * long as it answers `null`, because people had said more before it closed.
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
