import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { OpenRollouts } from '../desk.ts';
import { read } from './server.ts';

/** What is known of the console, and how fresh that is. */
export interface Fresh {
  /** The latest look. `null`: there was none yet. */
  readonly look: OpenRollouts | null;
  /** How often the console has begun to answer. */
  readonly comings: number;
}

export const FreshContext = createContext<Fresh>({ look: null, comings: 0 });

/** The time of the latest look, in milliseconds since the Unix epoch. `null`: there was none yet. */
export function useNow(): number | null {
  return useContext(FreshContext).look?.at ?? null;
}

/** So many answers are kept, so that a page is there at once when somebody comes back to it. */
const MOST_KEPT = 20;
const kept = new Map<string, unknown>();

interface Found<T> {
  readonly path: string | null;
  /** `null`: nothing was read yet. */
  readonly data: T | null;
  readonly fault: string | null;
}

/**
 * Reads a path, and reads it again when the stamp changes or the console answers again.
 *
 * @param path `null`: there is nothing to read yet.
 * @param isNew Whether what was read is that of the stamp already. @default - nobody knows
 */
export function useRead<T>(
  path: string | null,
  stamp: unknown = null,
  isNew?: (data: T) => boolean,
): Found<T> {
  const { comings } = useContext(FreshContext);
  const [found, setFound] = useState<Found<T>>(() => keptOf(path));
  const shown = found.path === path ? found : keptOf<T>(path);
  const { data, fault } = shown;
  const isThere = data !== null && fault === null && isNew?.(data) === true;
  // What is on its way for the first time may be new enough.
  const isFirst = isNew !== undefined && data === null && fault === null;
  useEffect(() => {
    if (path === null || isThere) return;
    const asking = new AbortController();
    read<T>(path, asking.signal).then(
      (data) => {
        keep(path, data);
        setFound({ path, data, fault: null });
      },
      (error: Error) => {
        if (asking.signal.aborted) return;
        setFound((last) => ({
          ...(last.path === path ? last : keptOf<T>(path)),
          fault: error.message,
        }));
      },
    );
    return () => asking.abort();
  }, [path, isFirst || isThere ? null : stamp, comings]);
  return shown;
}

function keptOf<T>(path: string | null): Found<T> {
  return { path, data: ((path !== null && kept.get(path)) || null) as T | null, fault: null };
}

function keep(path: string, data: unknown): void {
  kept.delete(path);
  kept.set(path, data);
  for (const first of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(first);
}
