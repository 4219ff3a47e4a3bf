import type { Ledger } from '../../ports/ledger.ts';
import { createTableLedger } from '../ledger/table-ledger.ts';
import { loadOnce } from './load-once.ts';

/**
 * The ledger of a function, in the table of this name. The AWS SDK is loaded with the first call: a pipeline
 * that rolls or stops endpoints makes none.
 */
export function openLedger(tableName: string): Ledger {
  const connect = loadOnce(async () => {
    const { connectTable } = await import('./connect-table.ts');
    return connectTable(tableName);
  });
  return createTableLedger({
    name: tableName,
    get: async (key) => (await connect()).get(key),
    list: async (pk, prefix) => (await connect()).list(pk, prefix),
    listIndex: async (query) => (await connect()).listIndex(query),
    put: async (item) => (await connect()).put(item),
    update: async (key, update) => (await connect()).update(key, update),
  });
}
