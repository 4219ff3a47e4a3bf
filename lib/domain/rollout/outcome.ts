import type { FailureKind } from './policy.ts';

/** How a rollout ended. */
export const OUTCOME_KINDS = ['Succeeded', 'Failed', 'Errored', 'Superseded', 'Aborted'] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/**
 * What was done with the endpoints that were rolled.
 * - `none`: nothing had to be done, or the policy is to hold.
 * - `stopped`: every old endpoint was stopped.
 * - `rolledBack`: every endpoint that was rolled is back on its previous version.
 * - `kept`: at least one endpoint was left as it is on purpose; the journal or the plan says why.
 * - `incomplete`: a stop or a roll back that should have happened did not happen, or nobody knows whether it did.
 */
export const CLEANUPS = ['none', 'stopped', 'rolledBack', 'kept', 'incomplete'] as const;
export type Cleanup = (typeof CLEANUPS)[number];

export interface Outcome extends Pick<Ending, 'failure'> {
  readonly outcome: OutcomeKind;
  readonly cleanup: Cleanup;
  /** A short and stable name, for programs. */
  readonly reason: string;
  /** A sentence with counts, for people. */
  readonly message: string;
  /** What gates that only watch have said in the rollout. @default - none has said anything */
  readonly watched?: readonly WatchedVerdict[];
}

/** What a gate that only watches has said in a whole rollout. */
export interface WatchedVerdict {
  /** `alarm shop-5xx`, `metric Errors`, `probe`. */
  readonly gate: string;
  /** `false`: it has said yes, and no no that would have counted. */
  readonly wouldHaveFailed: boolean;
}

/** `Failed (Stalled)`, or `Aborted`, which is its own reason. */
export function nameOfOutcome({ outcome, reason }: Pick<Outcome, 'outcome' | 'reason'>): string {
  return outcome === reason ? outcome : `${outcome} (${reason})`;
}

/** Why a rollout ends. It is the outcome without the result of the cleanup, which is not known yet. */
export interface Ending {
  readonly outcome: OutcomeKind;
  /** Which of the two kinds of failure it is. @default - it is no failure of the version or of an endpoint */
  readonly failure?: FailureKind;
  readonly reason: string;
  readonly message: string;
}
