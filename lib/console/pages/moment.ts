/** A moment, by both clocks of the browser. */
export interface BrowserMoment {
  readonly wall: number;
  readonly run: number;
}

export function momentNow(): BrowserMoment {
  return { wall: Date.now(), run: performance.now() };
}

/**
 * Milliseconds since then, and never too few: one of the clocks may stand still while a machine sleeps, and the other one
 * goes back when somebody sets it.
 */
export function msSince({ wall, run }: BrowserMoment): number {
  return Math.max(Date.now() - wall, performance.now() - run, 0);
}

/** The moment so many milliseconds before. */
export function before({ wall, run }: BrowserMoment, ms: number): BrowserMoment {
  return { wall: wall - ms, run: run - ms };
}
