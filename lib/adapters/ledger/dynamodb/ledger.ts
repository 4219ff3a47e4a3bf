import type { Retention } from '../../../ledger/history.ts';
import { createLedger } from '../../../ledger/ledger.ts';
import { type RemoteStorage, type Rule, settleRemotely } from '../../../ledger/storage.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import { asLedgerError } from '../storage-errors.ts';

/**
 * The ledger in the table of this name. An error after the SDK's own retries is `LedgerUnavailable`.
 *
 * @param connect Opens the table. It is called for each use of the ledger, so it remembers what it has opened.
 * @param history How long ended rollouts stay. @default - for ever, by the clock of this machine
 */
export function createTableLedger(
  name: string,
  connect: () => Promise<RemoteStorage>,
  { days, now = Date.now }: Partial<Retention> = {},
): Ledger {
  const follow = async <T>(rule: Rule<T>): Promise<T> => {
    try {
      return await settleRemotely(await connect(), rule);
    } catch (error) {
      throw asLedgerError(error, `The ledger table ${name}`);
    }
  };
  // Whoever knows of no days still finds what others have told the table to remove.
  return createLedger(follow, undefined, { days, now });
}
