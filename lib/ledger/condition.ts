import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../contract/ledger/fields.ts';

/** What has to be true of an item's fields, all together, when the item is changed. */
export type ItemCondition = { readonly [F in Field]?: Test };

export type Test =
  | 'absent'
  | 'present'
  | { readonly is: string | number }
  | { readonly below: number }
  /** Words that are all there. */
  | { readonly has: readonly string[] }
  /** The number of records in a list. */
  | { readonly size: number }
  /** A record that is not in the list yet. */
  | { readonly lacks: unknown };

/** The condition that a rollout is recorded and has not ended, before or after it was opened. */
export const IS_OPEN = { request: 'present', outcome: 'absent' } as const satisfies ItemCondition;

/** The condition, for a storage that reads before it writes and lets nobody come in between. */
export function isMet(only: ItemCondition, item: { readonly [F in Field]?: unknown }): boolean {
  return Object.entries(only).every(([field, test]) => passes(test, item[field as Field]));
}

function passes(test: Test, value: unknown): boolean {
  if (test === 'absent') return value === undefined;
  if (test === 'present') return value !== undefined;
  if ('is' in test) return value === test.is;
  if ('below' in test) return typeof value === 'number' && value < test.below;
  const list = (value ?? []) as readonly unknown[];
  if ('size' in test) return list.length === test.size;
  if ('has' in test) return test.has.every((word) => list.includes(word));
  return !list.some((one) => isDeepStrictEqual(one, test.lacks));
}
