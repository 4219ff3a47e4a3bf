/**
 * Reads `first` to `last` (inclusive) with at most `limit` at a time, answers in their order. The
 * first failure aborts the others and is thrown.
 */
export async function readInParallel<T>(
  first: number,
  last: number,
  limit: number,
  read: (index: number, signal: AbortSignal) => Promise<T>,
  callerSignal?: AbortSignal,
): Promise<T[]> {
  const failed = new AbortController();
  const signal =
    callerSignal === undefined ? failed.signal : AbortSignal.any([failed.signal, callerSignal]);
  const results: T[] = [];
  let next = first;

  async function readOn(): Promise<void> {
    while (next <= last && !signal.aborted) {
      const index = next;
      next += 1;
      results[index - first] = await read(index, signal);
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(limit, last - first + 1) }, readOn));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
  callerSignal?.throwIfAborted();
  return results;
}
