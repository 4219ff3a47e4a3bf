import { LEASE_TOLERANCE_MS } from '../lease.ts';

/**
 * How the execution of a rollout stands, in the words of Step Functions; `NOT_FOUND` where it knows no
 * such execution, or not yet: what it says may be seconds old.
 */
export type ExecutionStatus = 'RUNNING' | 'NOT_FOUND' | EndedStatus;
export type EndedStatus = 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export interface Execution<Status extends ExecutionStatus = ExecutionStatus> {
  readonly status: Status;
  /** Name of the error that a failed one ended with. @default - Step Functions does not say */
  readonly error?: string;
}

/** An execution that certainly takes no more steps. */
export type DeadExecution = Execution<Exclude<ExecutionStatus, 'RUNNING'>>;

/**
 * Whether a rollout takes no more steps, by its newest execution. One that nobody knows may have just begun,
 * and so may the one that an execution has handed over to which has succeeded: the rollout counts as dead only
 * when it has let the lease run out.
 *
 * @param leaseUntil Milliseconds since the Unix epoch, as `now`.
 */
export function isDead(
  execution: Execution,
  leaseUntil: number,
  now: number,
): execution is DeadExecution {
  const { status } = execution;
  if (status === 'NOT_FOUND' || status === 'SUCCEEDED') {
    return now >= leaseUntil + LEASE_TOLERANCE_MS;
  }
  return status !== 'RUNNING';
}
