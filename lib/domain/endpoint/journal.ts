/**
 * What happened to a write.
 * - `intended`: about to be sent; found without a successor after a crash, it may have been sent.
 * - `accepted`: the service said yes.
 * - `unknown`: sent, no answer; the list tells.
 * - `rejected`: the service said no; `reason` names it.
 * - `not-sent`: nothing was sent, and `reason` says why.
 * - `kept`: a stop that was not made on purpose; `reason` says why.
 */
export const WRITE_RESULTS = [
  'intended',
  'accepted',
  'unknown',
  'rejected',
  'not-sent',
  'kept',
] as const;
export type WriteResult = (typeof WRITE_RESULTS)[number];

/** `roll` to the desired version, `roll-back` to the previous one. */
export const WRITE_OPERATIONS = ['roll', 'roll-back', 'stop'] as const;
export type WriteOperation = (typeof WRITE_OPERATIONS)[number];

/** One line of a rollout's journal. The last line of an endpoint and operation counts. */
export interface JournalEntry {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly operation: WriteOperation;
  readonly endpointId: string;
  readonly result: WriteResult;
  /** Stable name: an error name for `rejected`, `unknown` and `not-sent`; a keep-back reason for `kept`. */
  readonly reason?: string;
  readonly message?: string;
  /** Milliseconds since the Unix epoch: the service asked not to be asked again before. */
  readonly retryAt?: number;
}

/** `forward` to the desired version, or `back` to the versions before. */
export const DIRECTIONS = ['forward', 'back'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** By how much a line changes how often a write may have been carried out: a definite no takes its intention back. */
export const POSSIBLE_CHANGE: Readonly<Partial<Record<WriteResult, number>>> = {
  intended: 1,
  rejected: -1,
  'not-sent': -1,
};

/** Counts, line by line of a journal, how often the write of a line may have been carried out by then. */
export function countPossible(): (entry: JournalEntry) => number {
  const counts = new Map<string, number>();
  return ({ operation, endpointId, result }) => {
    const key = `${operation} ${endpointId}`;
    const count = Math.max(0, (counts.get(key) ?? 0) + (POSSIBLE_CHANGE[result] ?? 0));
    counts.set(key, count);
    return count;
  };
}
