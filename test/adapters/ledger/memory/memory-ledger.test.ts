import {
  createMemoryLedger,
  createMemoryStorage,
} from '../../../../lib/adapters/ledger/memory/ledger.ts';
import { createLedger } from '../../../../lib/ledger/ledger.ts';
import { type RemoteStorage, settle, settleRemotely } from '../../../../lib/ledger/storage.ts';
import type { Ledger } from '../../../../lib/ports/ledger.ts';
import { describeLedger } from '../ledger-contract.ts';
import { describeProcesses } from '../ledger-processes-contract.ts';

describeLedger('the ledger of rehearsals', createMemoryLedger);
describeProcesses('the ledger of rehearsals', () => {
  const storage = createMemoryStorage(new Map());
  return (owner) => createLedger(async (rule) => settle(storage, rule), owner);
});

describeLedger('the rules, call by call, with others in between', () => ledgerOver(1));

describeLedger('the rules, A12: every write arrives twice, as after a lost answer', () =>
  ledgerOver(2),
);

/**
 * The rules on a storage without transactions, which makes each write so many times and answers the last one. It cares
 * itself for entries of a log.
 */
function ledgerOver(times: number): Ledger {
  const storage = createMemoryStorage(new Map());
  const remote: RemoteStorage = {
    get: async (ask) => storage.get(ask),
    list: async (ask) => storage.list(ask),
    find: async (ask) => storage.find(ask),
    async update(ask) {
      const isLog = ask.add?.journal !== undefined || ask.add?.lines !== undefined;
      for (let again = isLog ? 1 : times; again > 1; again -= 1) {
        await Promise.resolve(storage.update(ask));
      }
      return storage.update(ask);
    },
  };
  return createLedger((rule) => settleRemotely(remote, rule));
}
