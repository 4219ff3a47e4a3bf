import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Field } from '../../lib/contract/ledger/fields.ts';
import { isMet } from '../../lib/ledger/condition.ts';
import type { LeaseOwner } from '../../lib/ledger/lease.ts';
import { createLedger } from '../../lib/ledger/ledger.ts';
import { type FoundItem, type Item, type Storage, settle } from '../../lib/ledger/storage.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';

/** Every item by its `pk` and `sk`. */
type Content = Record<string, Record<string, Item>>;

/** A ledger in a JSON file, which is all read and all written. It shows how little a storage has to do. */
export function createJsonLedger(file: string, owner?: LeaseOwner): Ledger {
  const storage = createJsonStorage(file);
  return createLedger(async (rule) => settle(storage, rule), owner);
}

function createJsonStorage(file: string): Storage {
  const content = (): Content =>
    existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : Object.create(null);
  const itemsOf = (pk: string, items: Record<string, Item> = {}): FoundItem[] =>
    Object.entries(items).map(([sk, item]) => ({ key: { pk, sk }, item }));
  return {
    get: ({ key }) => content()[key.pk]?.[key.sk] ?? {},
    list: ({ pk }) =>
      itemsOf(pk, content()[pk]).toSorted((one, other) => (one.key.sk < other.key.sk ? -1 : 1)),
    find({ index, value, prefix, newest }) {
      const found = Object.entries(content())
        .filter(([pk]) => pk.startsWith(prefix))
        .flatMap(([pk, items]) => itemsOf(pk, items))
        .filter(({ item }) => item[index.key as Field] === value);
      const { sort } = index;
      if (sort === undefined) return found;
      const sortedBy = ({ item }: FoundItem) => Number(item[sort as Field]);
      return found
        .filter((one) => !Number.isNaN(sortedBy(one)))
        .toSorted((one, other) => sortedBy(other) - sortedBy(one))
        .slice(0, newest);
    },
    update({ key, set = {}, add = {}, only, given }) {
      const all = content();
      if (given && !isMet(given.only, all[given.key.pk]?.[given.key.sk] ?? {})) return false;
      const item: Record<string, unknown> = { ...all[key.pk]?.[key.sk] };
      if (!isMet(only, item as Item)) return false;
      for (const [field, value] of Object.entries(set)) {
        if (value === null) delete item[field];
        else item[field] = value;
      }
      for (const [field, values] of Object.entries(add)) {
        item[field] = [...((item[field] as readonly unknown[] | undefined) ?? []), ...values];
      }
      all[key.pk] = { ...all[key.pk], [key.sk]: item as Item };
      writeFileSync(file, JSON.stringify(all));
      return true;
    },
  };
}
