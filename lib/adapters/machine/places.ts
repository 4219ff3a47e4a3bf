/** A limited number of places. Whoever finds all of them taken waits in line. */
export interface Places {
  /** Takes a place at once, and answers what gives it back. `undefined`: none is free. */
  takeFree(): (() => void) | undefined;
  /** Waits for a place, and answers what gives it back, even twice. @throws the reason of the signal. */
  take(who: Waiting, signal?: AbortSignal): Promise<() => void>;
  /** Lets those in who may have a place by now. */
  letIn(): void;
  /** Whether those of rank 1 have to wait now, even if a place is free. */
  isHeldBack(): boolean;
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
 * @param holdsBack Whether nobody of rank 1 gets a place now, when so many of them wait. @default - they always may
 */
export function createPlaces(most: number, holdsBack?: (waiting: number) => boolean): Places {
  let taken = 0;
  /** A line for each rank: those who wait, by their keys, in the order of their turns. */
  const lines = [new Map<unknown, Enter[]>(), new Map<unknown, Enter[]>()] as const;
  /** How many of rank 1 wait. */
  let waitingLast = 0;
  const isHeldBack = () => holdsBack?.(waitingLast) === true;
  const isFree = (rank: Rank) => taken < most && (rank === 0 || !isHeldBack());

  function enter(): () => void {
    taken += 1;
    let isThere = true;
    return () => {
      if (!isThere) return;
      isThere = false;
      taken -= 1;
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
        waitingLast -= rank;
        next?.();
      }
    }
  }

  return {
    letIn,
    isHeldBack,
    takeFree: () => (isFree(0) ? enter() : undefined),
    take({ rank, key = Symbol() }, signal) {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (isFree(rank)) return resolve(enter());
        const line = lines[rank];
        const entries = line.get(key) ?? [];
        line.set(key, entries);
        const onEnter = () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(enter());
        };
        const onAbort = () => {
          entries.splice(entries.indexOf(onEnter), 1);
          if (entries.length === 0) line.delete(key);
          waitingLast -= rank;
          reject(signal?.reason);
        };
        entries.push(onEnter);
        waitingLast += rank;
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
