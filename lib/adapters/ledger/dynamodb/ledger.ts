import { createLedger } from '../../../ledger/ledger.ts';
import { type RemoteStorage, settleRemotely } from '../../../ledger/storage.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import { asLedgerError } from '../storage-errors.ts';

/**
 * The ledger in the table of this name. An error after the SDK's own retries is `LedgerUnavailable`.
 *
 * @param connect Opens the table. It is called for each use of the ledger, so it remembers what it has opened.
 */
export function createTableLedger(name: string, connect: () => Promise<RemoteStorage>): Ledger {
  return createLedger(async (rule) => {
    try {
      return await settleRemotely(await connect(), rule);
    } catch (error) {
      throw asLedgerError(error, `The ledger table ${name}`);
    }
  });
}
