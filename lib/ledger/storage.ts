import type { Field, Fields, GrowingField } from '../contract/ledger/fields.ts';
import type { LedgerIndex } from '../contract/ledger/table.ts';
import type { ItemCondition } from './condition.ts';

/** Items with the same `pk` are read together, in the order of their `sk`. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item has the fields that were set. One that is not there has none. */
export type Item = Partial<Fields>;

export interface FoundItem {
  readonly key: Key;
  readonly item: Item;
}

export interface Update {
  readonly key: Key;
  /** `null` removes a field. The others stay as they are, also those that this version does not know. */
  readonly set?: { readonly [F in Field]?: Fields[F] | null };
  /** What is added to the end of one field. */
  readonly add?: { readonly [F in GrowingField]?: Fields[F] };
  readonly only: ItemCondition;
  /** Another item that has to be like this in the same moment. It is not changed. @default - the item alone decides */
  readonly given?: { readonly key: Key; readonly only: ItemCondition };
}

/** What the rules ask of a storage. A new one implements these four, and the others if they fit. */
export interface Storage {
  /** Some fields of one item, as they are now. */
  get(ask: {
    readonly key: Key;
    readonly fields: readonly Field[];
    /** People may write the item past every rule: one that cannot be read has no fields, instead of an error. @default false */
    readonly isClaim?: boolean;
  }): Item;
  /**
   * Some fields of a few items, each as it is now. It saves a storage behind a network calls.
   * @default - one is got after the other
   */
  getEach?(asks: readonly Parameters<Storage['get']>[0][]): readonly Item[];
  /** All items with this `pk`, whole. What is added to one field meanwhile may be missing, but not what was there. */
  list(ask: { readonly pk: string }): readonly FoundItem[];
  /** The keys of the first items with this `pk`, whatever these are. @default - those of the whole items */
  listKeys?(ask: { readonly pk: string; readonly most: number }): readonly Pick<FoundItem, 'key'>[];
  /**
   * The items whose `pk` begins with `prefix`, and whose field `index.key` has this value. With `newest` only so many, those with the highest `index.sort`
   * first, and only those that have it. Changes of the last seconds may not show yet.
   */
  find(ask: {
    readonly index: LedgerIndex;
    readonly value: string;
    readonly prefix: string;
    readonly newest?: number;
    readonly fields: readonly Field[];
  }): readonly FoundItem[];
  /**
   * Changes these fields of one item, all of them or none, and creates the item if there is none. `false`: the
   * condition did not hold. A storage that may make the call twice may answer `false` because of the first one, and adds
   * to a log only once.
   */
  update(update: Update): boolean;
  /**
   * Lets every item with this `pk` be removed from then on, in seconds since the Unix epoch, in any order. One that has a
   * time keeps it. @default - nothing is removed by the storage itself
   */
  expire?(ask: { readonly pk: string; readonly at: number }): void;
}

/** A storage behind a network. Anything may happen between two calls. */
export type RemoteStorage = {
  readonly [Method in keyof Storage]: Storage[Method] extends
    | undefined
    | ((ask: infer A) => infer R)
    ? (ask: A) => Promise<R>
    : never;
};

type Ask = {
  readonly [Method in keyof Storage]-?: readonly [Method, Parameters<Required<Storage>[Method]>[0]];
}[keyof Storage];

/**
 * A rule of the ledger. It yields what it asks of the storage, as data, and goes on with the answer. It touches nothing
 * itself, so the same rule runs in one transaction, or call by call over a network.
 */
export type Rule<T> = Generator<Ask, T, never>;

/** Follows a rule without a pause. Nothing comes in between when the caller has a transaction. */
export function settle<T>(storage: Storage, rule: Rule<T>): T {
  let step = rule.next();
  while (!step.done) step = rule.next(answerOf(storage, step.value));
  return step.value;
}

export async function settleRemotely<T>(storage: RemoteStorage, rule: Rule<T>): Promise<T> {
  let step = rule.next();
  while (!step.done) {
    const answer: unknown = answerOf(storage, step.value);
    step = rule.next((await (Array.isArray(answer) ? Promise.all(answer) : answer)) as never);
  }
  return step.value;
}

function answerOf(storage: Storage | RemoteStorage, [method, ask]: Ask): never {
  const answer = storage[method]?.(ask as never);
  if (method === 'listKeys') return (answer ?? storage.list(ask)) as never;
  // A storage without that method answers one after the other.
  return (method === 'getEach' ? (answer ?? ask.map((one) => storage.get(one))) : answer) as never;
}

export function* get<F extends Field>(
  key: Key,
  ...fields: readonly F[]
): Rule<Partial<Pick<Fields, F>>> {
  return yield ['get', { key, fields }];
}

export function* getEach(...asks: readonly Parameters<Storage['get']>[0][]): Rule<readonly Item[]> {
  return yield ['getEach', asks];
}

export function* list(pk: string): Rule<readonly FoundItem[]> {
  return yield ['list', { pk }];
}

export function* listKeys(pk: string, most: number): Rule<readonly Key[]> {
  const found: readonly Pick<FoundItem, 'key'>[] = yield ['listKeys', { pk, most }];
  return found.slice(0, most).map(({ key }) => key);
}

export function* find(ask: Parameters<Storage['find']>[0]): Rule<readonly FoundItem[]> {
  return yield ['find', ask];
}

export function* expire(ask: { readonly pk: string; readonly at: number }): Rule<void> {
  yield ['expire', ask];
}

export function* update(ask: Update): Rule<boolean> {
  return yield ['update', ask];
}
