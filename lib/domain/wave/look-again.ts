import type { Seconds } from '../clock.ts';

/** What a rule says of a wave: its word, or in how many seconds somebody has to look again. */
export type Verdict<Word extends string> = Word | LookAgain;

export interface LookAgain {
  /** A whole number. */
  readonly lookAgainIn: Seconds;
}

/** Looks again in time for whatever comes first. */
export function soonest(...seconds: readonly Seconds[]): LookAgain {
  return { lookAgainIn: Math.ceil(Math.min(...seconds)) };
}
