import { createContext } from 'preact';
import { clockTime } from '../../domain/local-time.ts';
import type { OpenRollouts } from '../desk.ts';

/** Whether what the page shows may be over by now. */
export const StaleContext = createContext(false);

/** After so long without a look nobody may take the last one for the present, whatever keeps the console from looking. */
export const OLD_MS = 15_000;

interface StaleProps {
  readonly look: OpenRollouts | null;
  /** Why there is no look, in the words of the console. `null`: it says nothing. */
  readonly trouble: string | null;
}

/** Says that the page is old, and of when it is. */
export function StaleBand({ look, trouble }: StaleProps) {
  return (
    <p class="stale-band" role="alert">
      <strong>{trouble ?? 'The console does not answer.'}</strong>{' '}
      {look !== null && `What you see is as of ${clockTime(look.at)}, and may be over by now. `}
      Trying again.
    </p>
  );
}
