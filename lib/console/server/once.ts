/** So many acts are remembered: a dialog is open for minutes, and not for a night of them. */
const MOST_KEPT = 200;

/**
 * Does each piece of work once, whoever asks for it again: a key that is held, or a page that has lost the answer. What has
 * failed may be asked for again.
 */
export function createOnce<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const kept = new Map<string, Promise<T>>();
  return (key, work) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const begun = work();
    kept.set(key, begun);
    begun.catch(() => kept.delete(key));
    for (const first of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(first);
    return begun;
  };
}
