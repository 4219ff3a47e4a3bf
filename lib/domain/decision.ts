import type { OutcomeKind } from './outcome.ts';
import type { FailurePolicy } from './policy.ts';

/** Why a rollout ends: the outcome without what the cleanup will have done. */
export interface Ending {
  readonly outcome: OutcomeKind;
  readonly reason: string;
  readonly message: string;
}

/**
 * What the workflow does next. Positions are places in the plan's list of endpoints.
 * - `queue`: it is not this rollout's turn yet; try to open it again after so many seconds.
 * - `wait`: read the list again after so many seconds.
 * - `bake`: look again after so many seconds whether the wave may be trusted.
 * - `roll`: roll these endpoints of this wave, then wait.
 * - `contain`: the rollout has failed; what happens to these old endpoints is the policy's choice.
 * - `close`: nothing is left to do.
 */
export type Decision =
  | { readonly next: 'queue'; readonly seconds: number }
  | { readonly next: 'wait'; readonly seconds: number }
  | { readonly next: 'bake'; readonly seconds: number; readonly waitsFor?: 'approval' }
  | {
      readonly next: 'roll';
      readonly wave: number;
      readonly positions: readonly number[];
      readonly seconds: number;
    }
  | {
      readonly next: 'contain';
      readonly onFailure: FailurePolicy;
      readonly ending: Ending;
      readonly oldEndpoints: readonly number[];
    }
  | { readonly next: 'close'; readonly ending: Ending };
