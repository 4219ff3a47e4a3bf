import type { WriteResult } from '../../domain/journal.ts';

const RESULTS = [
  'accepted',
  'rejected',
  'unknown',
  'not-sent',
  'kept',
] as const satisfies WriteResult[];

/**
 * How many endpoints met with which result, of what `roll` and `stop` answer: rows to a pipeline,
 * counts to the workflow. Other answers have none.
 */
export function countRows(answer: unknown): [result: string, count: number][] {
  const count = Array.isArray(answer)
    ? (result: string) => answer.filter((row) => row?.result === result).length
    : (result: string) => Object(answer)[result];
  return RESULTS.map((result): [string, number] => [result, count(result)]).filter(
    ([, number]) => number > 0,
  );
}
