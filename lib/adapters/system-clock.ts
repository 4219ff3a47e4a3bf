import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, signal ? { signal } : {}),
};
