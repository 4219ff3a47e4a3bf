import type { StepClock } from '../../ports/clock.ts';

/** The machine's own clock. */
export const systemClock: StepClock = {
  now: () => Date.now(),
  elapsed: () => Math.round(performance.now()),
  // This is done by hand, because the sleep of node:timers/promises rejects with its own error instead of the
  // signal's reason.
  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
};
