import type { Instant } from '../domain/clock.ts';
import type { StepClock } from '../ports/clock.ts';

/** A clock that nobody waits for: hours of polls and bakes take milliseconds, and every run is the same. */
export interface VirtualTime extends StepClock {
  /** Seconds since this time began. */
  seconds(): number;
  /**
   * Runs `work`. Whenever nothing can go on without waiting, the clock jumps to the next moment that somebody waits
   * for. All waits have to be waits of this clock: a request to a network would never be waited for.
   *
   * @throws when `work` waits, and not for this clock.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** @param idle Resolves when nothing can go on without waiting. @default - once no microtask is left */
export function createVirtualTime(startsAt: Instant, idle = noMicrotasks): VirtualTime {
  let now = startsAt;
  let timers: Timer[] = [];
  let waits = 0;

  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const at = now + Math.max(0, milliseconds);
      const abort = () => {
        timers = timers.filter((one) => one !== timer);
        reject(signal?.reason);
      };
      const ring = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const timer: Timer = { at, nth: waits, ring };
      waits += 1;
      signal?.addEventListener('abort', abort, { once: true });
      // Few wait at once, so a sorted list is fast enough.
      let place = timers.length;
      while (place > 0 && isBefore(timer, timers[place - 1] as Timer)) place -= 1;
      timers.splice(place, 0, timer);
    });

  return {
    now: () => now,
    elapsed: () => now - startsAt,
    sleep,
    seconds: () => (now - startsAt) / 1000,
    async run(work) {
      let isOver = false;
      const result = work().finally(() => {
        isOver = true;
      });
      result.catch(() => undefined);
      for (;;) {
        await idle();
        if (isOver) return await result;
        const timer = timers.shift();
        if (timer === undefined)
          throw new Error('The rehearsal waits for something that no clock brings.');
        now = timer.at;
        timer.ring();
      }
    },
  };
}

interface Timer {
  readonly at: number;
  /** Which wait it is: of two that end at the same time, the earlier one ends first. */
  readonly nth: number;
  readonly ring: () => void;
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.nth < other.nth);
}

/** All that is under way goes on by microtasks. Node.js runs this only when none of them is left. */
export function noMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
