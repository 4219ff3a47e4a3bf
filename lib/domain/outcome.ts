/** How a rollout ended. */
export const OUTCOME_KINDS = ['Succeeded', 'Failed', 'Errored', 'Superseded', 'Aborted'] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/**
 * What was done about old endpoints.
 * - `none`: nothing had to be done, or the policy is to hold.
 * - `stopped`: every old endpoint was stopped.
 * - `kept`: at least one stop was kept back on purpose; the journal says why.
 * - `incomplete`: a stop that should have happened did not, or we cannot know.
 */
export type Cleanup = 'none' | 'stopped' | 'kept' | 'incomplete';

export interface Outcome {
  readonly outcome: OutcomeKind;
  readonly cleanup: Cleanup;
  /** Short and stable, for programs. */
  readonly reason: string;
  /** A sentence with counts, for people. */
  readonly message: string;
}
