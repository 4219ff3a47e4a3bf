/** The partition key of each item of a rollout begins with this. */
export const ROLLOUT_KEY_PREFIX = 'rollout#';

/** The partition key of the item that says which rollout rolls a release begins with this. */
export const RELEASE_KEY_PREFIX = 'release#';

/** The partition key of what a person has answered begins with this, and ends with what proves the person. */
export const ANSWER_KEY_PREFIX = 'yes#';

/** The partition key of the items that say who may have answered to a rollout begins with this. */
export const ANSWERERS_KEY_PREFIX = 'answers#';

/** The attribute by which DynamoDB removes items some time after it (time to live). */
export const EXPIRES_AT = 'expiresAt';

/** An index of the ledger's table. It contains only items that have its key. */
export interface LedgerIndex {
  readonly name: string;
  /** The attribute that is the partition key of the index, a string. */
  readonly key: string;
  /** The attribute that the index is sorted by, a number. @default - it is not sorted */
  readonly sort?: string;
  /** The attributes that the index has besides the keys. */
  readonly attributes: readonly string[];
}

/**
 * Everything that is not finished: leases that were not given back, rollouts that have not begun, and events that
 * were not sent. It stays small even when the history grows.
 */
export const OPEN_INDEX = {
  name: 'open',
  key: 'openAs',
  attributes: ['runtimeId', 'rolloutId', 'epoch', 'leaseUntil'],
} as const satisfies LedgerIndex;

/** A lease that is held; a rollout that was not opened yet; an event, or an end, that was not sent. */
export const OPEN_AS = { lease: 'lease', asked: 'asked', event: 'event' } as const;

const HISTORY = {
  sort: 'startedAt',
  attributes: ['request', 'listedWait', 'outcome', 'endedAt', 'epoch'],
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

/** The only value of its key. */
export const LISTED_IN_ALL = 'all';

export const LEDGER_INDEXES: readonly LedgerIndex[] = [OPEN_INDEX, RUNTIME_INDEX, HISTORY_INDEX];
