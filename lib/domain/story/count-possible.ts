import type { JournalEntry, WriteResult } from '../journal.ts';

/** Counts, line by line of a journal, how often the write of a line may have been carried out by then. */
export function countPossible(): (entry: JournalEntry) => number {
  const counts = new Map<string, number>();
  return ({ operation, endpointId, result }) => {
    const key = `${operation} ${endpointId}`;
    const count = Math.max(0, (counts.get(key) ?? 0) + (CHANGE[result] ?? 0));
    counts.set(key, count);
    return count;
  };
}

/** An intention may be carried out; a definite no takes it back. */
const CHANGE: Readonly<Partial<Record<WriteResult, number>>> = {
  intended: 1,
  rejected: -1,
  'not-sent': -1,
};
