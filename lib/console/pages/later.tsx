import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { FreshContext } from './fresh.ts';
import { Trouble } from './trouble.tsx';

/** A part of the pages that is loaded when somebody opens it, because the line may be slow. */
export interface Part<T> {
  readonly load: () => Promise<T>;
  /** `null`: it is not there yet. */
  loaded: T | null;
}

export function part<T>(load: () => Promise<T>): Part<T> {
  return { load, loaded: null };
}

interface LaterProps<T> {
  readonly part: Part<T>;
  readonly children: (loaded: T) => ComponentChildren;
}

/** After so long without it the page says that it is not there. It may come all the same. */
const PATIENT_MS = 10_000;

export function Later<T>({ part, children }: LaterProps<T>) {
  const { comings } = useContext(FreshContext);
  const [{ fault }, setSaid] = useState({ fault: null as string | null });
  useEffect(() => {
    if (part.loaded !== null) return;
    let isOver = false;
    const say = (fault: string | null) => {
      if (!isOver) setSaid({ fault });
    };
    const timer = setTimeout(() => say('The console does not answer.'), PATIENT_MS);
    part
      .load()
      .then(
        (loaded) => {
          part.loaded = loaded;
          // Whoever waits for it sees it, whatever was said meanwhile.
          say(null);
        },
        () =>
          say(
            'This part of the pages does not come: the console does not answer, or was started anew. Load the page again.',
          ),
      )
      .finally(() => clearTimeout(timer));
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [part, comings]);
  if (part.loaded !== null) return <>{children(part.loaded)}</>;
  return fault === null ? <p>Reading …</p> : <Trouble fault={fault} />;
}
