import { errorMessageOf } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OpenRollouts } from '../desk.ts';

/** A look, or why there is none now. */
export type News = OpenRollouts | { readonly trouble: string };

export interface Watcher {
  /** Tells the news from now on, the latest at once. Answers how to end that. */
  join(listener: (news: News) => void): () => void;
  /** Looks again at once, because somebody has done something. */
  wake(): void;
}

/**
 * Looks at the rollouts again and again, once for all who listen, and only while somebody does.
 *
 * @param everyMs Milliseconds between two looks.
 */
export function createWatcher(
  look: () => Promise<OpenRollouts>,
  everyMs: number,
  clock: Pick<Clock, 'sleep'>,
): Watcher {
  const listeners = new Set<(news: News) => void>();
  let latest: News | null = null;
  let isWatching = false;
  let nap = new AbortController();

  async function watch(): Promise<void> {
    while (listeners.size > 0) {
      const news: News = await look().catch((error) => ({ trouble: errorMessageOf(error) }));
      latest = news;
      for (const tell of listeners) tell(news);
      nap = new AbortController();
      await clock.sleep(everyMs, nap.signal).catch(() => undefined);
    }
    // What was seen last is old when somebody comes back.
    latest = null;
    isWatching = false;
  }

  return {
    join(listener) {
      listeners.add(listener);
      if (latest !== null) listener(latest);
      if (!isWatching) {
        isWatching = true;
        void watch();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) nap.abort();
      };
    },
    wake: () => nap.abort(),
  };
}
