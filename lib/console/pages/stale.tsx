import { createContext } from 'preact';
import { clockTime } from '../../domain/local-time.ts';

/** Whether what the page shows may be over by now. */
export const StaleContext = createContext(false);

/** What may be older nobody may take for the present, whatever keeps the console from looking, or its answer from coming. */
export const OLD_MS = 15_000;

interface StaleProps {
  /** When all of the page was so, by the clock of the console. `null`: nothing was seen yet. */
  readonly asOf: number | null;
  /** Why there is no look. `''`: the console says nothing. `null`: answers come, but late. */
  readonly trouble: string | null;
}

/** Says that the page is old, and of when it is. */
export function StaleBand({ asOf, trouble }: StaleProps) {
  const why =
    trouble === null
      ? 'The console, or the line to it, is slow.'
      : trouble || 'The console does not answer.';
  return (
    <p class="stale-band" role="alert">
      <strong>{why}</strong>{' '}
      {asOf !== null && `What you see is as of ${clockTime(asOf)}, and may be over by now. `}
      Trying again.
    </p>
  );
}
