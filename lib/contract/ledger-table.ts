/**
 * The index of the ledger's table that holds the leases that were not given back, and nothing else:
 * only their items have its key, so it stays small however long the history gets.
 */
export const HELD_INDEX = {
  name: 'held',
  key: 'heldIn',
  /** The one value of the key. */
  value: 'held',
  attributes: ['runtimeId', 'rolloutId', 'epoch', 'leaseUntil'],
} as const;
