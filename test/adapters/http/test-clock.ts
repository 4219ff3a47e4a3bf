import type { Clock } from '../../../lib/ports/clock.ts';

export interface TestClock extends Clock {
  /** Milliseconds of every wait but the deadlines. */
  readonly waits: readonly number[];
  /** Deadlines that were neither met nor missed. */
  readonly pending: () => number;
  advance(milliseconds: number): void;
}

/** Waits pass at once and move the time; those of `deadlineMs` or more never end by themselves. */
export function createTestClock({ deadlineMs = 10_000 } = {}): TestClock {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const waits: number[] = [];
  let pending = 0;
  return {
    waits,
    now: () => now,
    pending: () => pending,
    advance(milliseconds) {
      now += milliseconds;
    },
    sleep(milliseconds, signal) {
      if (milliseconds >= deadlineMs) {
        pending += 1;
        return new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            pending -= 1;
            reject(signal.reason);
          });
        });
      }
      signal?.throwIfAborted();
      waits.push(milliseconds);
      now += milliseconds;
      return Promise.resolve();
    },
  };
}

export { systemClock as realClock } from '../../../lib/adapters/machine/clock.ts';
