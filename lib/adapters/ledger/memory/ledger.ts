import type { Field } from '../../../contract/ledger/fields.ts';
import { isMet } from '../../../ledger/condition.ts';
import { createLedger } from '../../../ledger/ledger.ts';
import { type FoundItem, type Item, type Storage, settle } from '../../../ledger/storage.ts';
import type { Ledger } from '../../../ports/ledger.ts';

/** The items by their `pk`, and by their `sk`. Values are replaced and never changed, so a copy of the map is a copy. */
export type LedgerMemory = Map<string, ReadonlyMap<string, Item>>;

/**
 * A ledger for rehearsals, which forgets everything with its process. It keeps what it is given as it is, without a
 * copy and without a check of its schema, because nothing outside of the process writes to it. So it is many times
 * faster than the other ledgers, and the records that it answers must not be changed.
 *
 * @param memory What it knows already. It is changed by the ledger.
 */
export function createMemoryLedger(memory: LedgerMemory = new Map()): Ledger {
  const storage = createMemoryStorage(memory);
  return createLedger(async (rule) => settle(storage, rule));
}

export function createMemoryStorage(memory: LedgerMemory): Storage {
  const get: Storage['get'] = ({ key }) => memory.get(key.pk)?.get(key.sk) ?? {};
  const list: Storage['list'] = ({ pk }) =>
    [...(memory.get(pk) ?? [])]
      .map(([sk, item]) => ({ key: { pk, sk }, item }))
      .sort((one, other) => (one.key.sk < other.key.sk ? -1 : 1));
  return {
    get,
    list,
    find({ index, value, prefix, newest, fields }) {
      // As everywhere, what was not asked for is not answered.
      const picked = ({ key, item }: FoundItem) => ({
        key,
        item: Object.fromEntries(fields.map((field) => [field, item[field]])) as Item,
      });
      const found = [...memory.keys()]
        .filter((pk) => pk.startsWith(prefix))
        .flatMap((pk) => list({ pk }))
        .filter(({ item }) => item[index.key as Field] === value);
      const sort = index.sort as Field | undefined;
      if (sort === undefined) return found.map(picked);
      const by = ({ item }: FoundItem) => item[sort] as number | undefined;
      return found
        .filter((each) => by(each) !== undefined)
        .sort(
          (one, other) =>
            Number(by(other)) - Number(by(one)) || (one.key.pk < other.key.pk ? -1 : 1),
        )
        .slice(0, newest)
        .map(picked);
    },
    update({ key, set = {}, add = {}, only, given }) {
      if (given !== undefined && !isMet(given.only, get({ key: given.key, fields: [] })))
        return false;
      const item = get({ key, fields: [] });
      if (!isMet(only, item)) return false;
      const added = Object.entries(add).map(([field, values]) => [
        field,
        [...((item[field as Field] as readonly unknown[] | undefined) ?? []), ...values],
      ]);
      const next = { ...item, ...set, ...Object.fromEntries(added) };
      for (const [field, value] of Object.entries(set)) {
        if (value === null) delete next[field as Field];
      }
      memory.set(key.pk, new Map(memory.get(key.pk)).set(key.sk, next));
      return true;
    },
  };
}
