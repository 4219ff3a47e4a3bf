import { setImmediate as nextTurn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { START, type Time } from './scenario-time.ts';

/** The clock of this process, which is that of the fake timers while there are some. */
export const FAKE_TIME: Time = {
  now: () => Date.now(),
  elapsed: () => Date.now() - START,
  seconds: () => (Date.now() - START) / 1000,
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  run: inFakeTime,
};

/**
 * Runs `work` on a clock of its own: whenever nothing can go on without waiting, the clock jumps to
 * the next timer. Hours of polling and baking take milliseconds, and every run is the same.
 *
 * @throws when `work` waits and no timer is left that could end the wait.
 */
export async function inFakeTime<T>(work: () => Promise<T>): Promise<T> {
  jest.useFakeTimers({ now: START, doNotFake: [...REAL] });
  // The spread of the retries' waits.
  const random = jest.spyOn(Math, 'random').mockReturnValue(0.5);
  try {
    let isOver = false;
    const result = work().finally(() => {
      isOver = true;
    });
    result.catch(() => undefined);
    for (;;) {
      // All that is under way goes by microtasks and by turns of the event loop: once none is left, it only waits.
      do await nextTurn();
      while (process.getActiveResourcesInfo().includes('Immediate'));
      if (isOver) return await result;
      if (jest.getTimerCount() === 0) throw new Error('It waits, and no timer is left.');
      jest.advanceTimersToNextTimer();
    }
  } finally {
    random.mockRestore();
    jest.useRealTimers();
  }
}

const REAL = [
  'nextTick',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'hrtime',
  'performance',
] as const;
