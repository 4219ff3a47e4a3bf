import type { Seconds } from './clock.ts';

/**
 * Whatever a rollout waits for, somebody looks again after this time: it may have come unheard. So nobody waits longer for
 * a service that asks for it either, perhaps by mistake.
 */
export const LONGEST_LOOK_SECONDS: Seconds = 300;

/** However long a bake is, an abort, a regress and the no of a gate are found within this time. */
export const BAKE_LOOK_SECONDS: Seconds = 60;

/** While a person is waited for, or a window: who acts in the first hour waits for what follows. */
export const FIRST_HOUR: { readonly lasts: Seconds; readonly longestLook: Seconds } = {
  lasts: 3600,
  longestLook: 60,
};

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
