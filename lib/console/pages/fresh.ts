import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { OpenRollouts } from '../desk.ts';
import { type BrowserMoment, momentNow, msSince } from './moment.ts';
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
const kept = new Map<string, Kept<unknown>>();

interface Kept<T> {
  readonly data: T;
  /** What it was read for. */
  readonly asked: string;
  readonly began: BrowserMoment;
  /** When it was read, by the clock of the console. `null`: nobody knows. */
  readonly at: number | null;
}

/** What a page shows although there is something newer to read. */
export interface Behind {
  readonly since: BrowserMoment;
  /** When it was so, by the clock of the console. `null`: nobody knows. */
  readonly asOf: number | null;
}

const behind = new Set<Behind>();

/** What is shown, and has been waiting the longest for something newer. */
export function longestBehind(): Behind | null {
  const [first = null] = [...behind].toSorted((a, b) => msSince(b.since) - msSince(a.since));
  return first;
}

interface Found<T> {
  /** `null`: nothing was read yet. */
  readonly data: T | null;
  readonly fault: string | null;
}

/**
 * Reads a path, and reads it again when the stamp changes or the console answers again, but not before the last answer
 * is there: on a slow line none would ever come.
 *
 * @param path `null`: there is nothing to read yet.
 * @param isNew Whether what was read is that of the stamp already. @default - nobody knows
 */
export function useRead<T>(
  path: string | null,
  stamp: unknown = null,
  isNew?: (data: T) => boolean,
): Found<T> {
  const { look, comings } = useContext(FreshContext);
  const [, setEnded] = useState<AbortController | null>(null);
  const [failed, setFailed] = useState({ path, fault: null as string | null });
  const reading = useRef<AbortController | null>(null);
  const tried = useRef('');
  const known = path === null ? null : ((kept.get(path) ?? null) as Kept<T> | null);
  const fault = failed.path === path ? failed.fault : null;
  const isThere = known !== null && fault === null && isNew?.(known.data) === true;
  // What is on its way for the first time may be new enough.
  const isFirst = isNew !== undefined && known === null && fault === null;
  const wanted = `${path} ${isFirst ? '' : stamp} ${comings}`;
  const at = look?.at ?? null;

  useEffect(
    () => () => {
      reading.current?.abort();
      reading.current = null;
    },
    [path],
  );
  // After every change, also after that of the end of a read.
  useEffect(() => {
    if (path === null || isThere || reading.current !== null || tried.current === wanted) return;
    const asking = new AbortController();
    const began = momentNow();
    reading.current = asking;
    tried.current = wanted;
    read<T>(path, asking.signal)
      .then(
        (data) => {
          keep(path, { data, asked: wanted, began, at });
          return null;
        },
        (error: Error) => error.message,
      )
      .then((fault) => {
        if (asking.signal.aborted) return;
        reading.current = null;
        setFailed({ path, fault });
        setEnded(asking);
      });
  });

  const isBehind = known !== null && !isThere && known.asked !== wanted;
  const lastTrue = useRef({ path, at: null as number | null });
  if (lastTrue.current.path !== path) lastTrue.current = { path, at: known?.at ?? null };
  else if (!isBehind) lastTrue.current.at = at;
  const wasBehind = useRef<string | null>(null);
  useEffect(() => {
    const isStill = path !== null && wasBehind.current === path;
    wasBehind.current = isBehind ? path : null;
    if (known === null || !isBehind) return;
    const { began } = known;
    // What came meanwhile was asked for before the last change.
    const one = isStill
      ? { since: began, asOf: known.at }
      : { since: momentNow(), asOf: lastTrue.current.at ?? known.at };
    behind.add(one);
    return () => void behind.delete(one);
  }, [path, isBehind, known]);
  return { data: known?.data ?? null, fault };
}

function keep(path: string, one: Kept<unknown>): void {
  kept.delete(path);
  kept.set(path, one);
  for (const first of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(first);
}
