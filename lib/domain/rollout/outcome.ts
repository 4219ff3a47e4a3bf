import type { Stored } from '../stored.ts';
import type { ending, outcome } from './stored.ts';

/**
 * How a rollout ends. `Refused`: it was not allowed to begin. It has rolled nothing, and nothing is known against its
 * version, so it is no failure.
 */
export const OUTCOME_KINDS = [
  'Succeeded',
  'Failed',
  'Errored',
  'Refused',
  'Superseded',
  'Aborted',
] as const;
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

export interface Outcome extends Stored<typeof outcome> {}

/** `Failed (Stalled)`, or `Aborted`, which is its own reason: for logs, in which reasons are searched, and for what did not fail. */
export function nameOfOutcome({ outcome, reason }: Pick<Outcome, 'outcome' | 'reason'>): string {
  return outcome === reason ? outcome : `${outcome} (${reason})`;
}

/** Why a rollout ends. It is the outcome without the result of the cleanup, which is not known yet. */
export interface Ending extends Stored<typeof ending> {}

/** The reason of a failure in which nobody said yes or no to a wave. */
export const APPROVAL_TIMED_OUT = 'ApprovalTimedOut';

/** `Failed (stuck)`: the outcome with the kind of failure. Only programs see the reason. */
export function nameInWords({
  outcome,
  failure,
  reason,
}: Pick<Ending, 'outcome' | 'failure' | 'reason'>): string {
  if (failure === undefined) return outcome;
  if (reason === APPROVAL_TIMED_OUT) return `${outcome} (not approved)`;
  return `${outcome} (${failure === 'bad' ? 'bad version' : failure})`;
}
