import type { OutcomeKind } from './outcome.ts';

/** Why a rollout ends: the outcome without what the cleanup will have done. */
export interface Ending {
  readonly outcome: OutcomeKind;
  readonly reason: string;
  readonly message: string;
}

/**
 * What the workflow does next. Positions are places in the plan's list of endpoints.
 * - `wait`: read the list again after the poll interval.
 * - `bake`: wait before the wave is trusted.
 * - `roll`: roll these endpoints of this wave.
 * - `contain`: the rollout has failed; what happens to these old endpoints is the policy's choice.
 * - `close`: nothing is left to do.
 */
export type Decision =
  | { readonly next: 'wait' }
  | { readonly next: 'bake'; readonly seconds: number }
  | { readonly next: 'roll'; readonly wave: number; readonly positions: readonly number[] }
  | { readonly next: 'contain'; readonly ending: Ending; readonly oldEndpoints: readonly number[] }
  | { readonly next: 'close'; readonly ending: Ending };
