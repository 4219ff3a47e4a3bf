import type { WriteResult } from '../domain/journal.ts';

/** What became of a batch, by count: the rows are in the journal. */
export type BatchSummary = Readonly<Partial<Record<WriteResult, number>>>;

export function countResults(rows: readonly { readonly result: WriteResult }[]): BatchSummary {
  const counts: Partial<Record<WriteResult, number>> = {};
  for (const { result } of rows) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}
