/** What the partition keys of a rollout's items begin with. */
export const ROLLOUT_KEY_PREFIX = 'rollout#';

/** An index of the ledger's table: only items that have its key are in it. */
export interface LedgerIndex {
  readonly name: string;
  /** Attribute that is its partition key, a string. */
  readonly key: string;
  /** Attribute that it is sorted by, a number. @default - it is not */
  readonly sort?: string;
  /** What it has of its items besides the keys. */
  readonly attributes: readonly string[];
}

/**
 * What is not over: the leases that were not given back, the rollouts that have not begun, and what was not
 * told yet. It stays small however long the history gets.
 */
export const OPEN_INDEX = {
  name: 'open',
  key: 'openAs',
  attributes: ['runtimeId', 'rolloutId', 'epoch', 'leaseUntil'],
} as const satisfies LedgerIndex;

/**
 * Values of its key: a lease that is held; a rollout that was asked for and not opened; an event that was not
 * sent, or the end of a rollout.
 */
export const OPEN_AS = { lease: 'lease', asked: 'asked', event: 'event' } as const;

const HISTORY = {
  sort: 'startedAt',
  attributes: ['requestData', 'outcomeData', 'endedAt'],
} as const;

/** The rollouts of a runtime by the time of their start. */
export const RUNTIME_INDEX = {
  ...HISTORY,
  name: 'ofRuntime',
  key: 'runtimeId',
} as const satisfies LedgerIndex;

/** All rollouts by the time of their start. */
export const HISTORY_INDEX = {
  ...HISTORY,
  name: 'ofAll',
  key: 'listedIn',
} as const satisfies LedgerIndex;

/** The one value of its key. */
export const LISTED_IN_ALL = 'all';

export const LEDGER_INDEXES: readonly LedgerIndex[] = [OPEN_INDEX, RUNTIME_INDEX, HISTORY_INDEX];
