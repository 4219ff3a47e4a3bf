/** A limited number of places. Whoever finds all of them taken waits in line. */
export interface Places {
  /** Takes a place at once, and answers what gives it back. `undefined`: none is free. */
  takeFree(): (() => void) | undefined;
  /**
   * Waits for a place, and answers what gives it back. It may be given back twice.
   *
   * @throws the reason of the signal when that aborts first.
   */
  take(who: Waiting, signal?: AbortSignal): Promise<() => void>;
  /** Lets those in who may have a place by now. */
  letIn(): void;
}

interface Waiting {
  /** Who goes first: those of rank 0 before those of rank 1. */
  readonly rank: Rank;
  /** Of those with the same key the last one goes first, and then the next key has its turn. @default - a key of its own */
  readonly key?: unknown;
}

type Rank = 0 | 1;
type Enter = () => void;

/**
 * @param most How many places there are.
 * @param mostOfRank1 How many of them those of rank 1 may have now. @default - all
 */
export function createPlaces(most: number, mostOfRank1: () => number = () => most): Places {
  const taken = [0, 0] as [number, number];
  /** A line for each rank: those who wait, by their keys, in the order of their turns. */
  const lines = [new Map<unknown, Enter[]>(), new Map<unknown, Enter[]>()] as const;
  const isFree = (rank: Rank) =>
    taken[0] + taken[1] < most && (rank === 0 || taken[1] < mostOfRank1());

  function enter(rank: Rank): () => void {
    taken[rank] += 1;
    let isThere = true;
    return () => {
      if (!isThere) return;
      isThere = false;
      taken[rank] -= 1;
      letIn();
    };
  }

  function letIn(): void {
    for (const rank of [0, 1] as const) {
      const line = lines[rank];
      while (line.size > 0 && isFree(rank)) {
        const [key, entries = []] = line.entries().next().value ?? [];
        const next = entries.pop();
        line.delete(key);
        if (entries.length > 0) line.set(key, entries);
        next?.();
      }
    }
  }

  return {
    letIn,
    takeFree: () => (isFree(0) ? enter(0) : undefined),
    take({ rank, key = Symbol() }, signal) {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (isFree(rank)) return resolve(enter(rank));
        const line = lines[rank];
        const entries = line.get(key) ?? [];
        line.set(key, entries);
        const onEnter = () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(enter(rank));
        };
        const onAbort = () => {
          entries.splice(entries.indexOf(onEnter), 1);
          if (entries.length === 0) line.delete(key);
          reject(signal?.reason);
        };
        entries.push(onEnter);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
