import { isLeaseOver } from '../rollout/lease.ts';

/**
 * How the execution of a rollout stands, in the words of Step Functions. `NOT_FOUND` means that Step Functions does
 * not know the execution, perhaps only not yet, because its answers may be seconds old.
 */
export type ExecutionStatus = 'RUNNING' | 'NOT_FOUND' | EndedStatus;
export type EndedStatus = 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export interface Execution<Status extends ExecutionStatus = ExecutionStatus> {
  readonly status: Status;
  /** Name of the error that the execution failed with. @default - Step Functions does not say */
  readonly error?: string;
}

/** An execution that certainly takes no more steps. */
export type DeadExecution = Execution<Exclude<ExecutionStatus, 'RUNNING'>>;

/**
 * Whether a rollout takes no more steps, by its latest execution. An unknown execution may have just begun, and a
 * successful one may have handed over to the next. In these two cases the rollout counts as dead only when it has let
 * its lease run out.
 *
 * @param leaseUntil The end of the lease, in milliseconds since the Unix epoch, as `now` is.
 */
export function isDead(
  execution: Execution,
  leaseUntil: number,
  now: number,
): execution is DeadExecution {
  const { status } = execution;
  if (status === 'NOT_FOUND' || status === 'SUCCEEDED') return isLeaseOver(leaseUntil, now);
  return status !== 'RUNNING';
}
