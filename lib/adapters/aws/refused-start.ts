import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { adviceOnAccess } from './aws-errors.ts';

/** The names that AWS uses for too many calls, and for too many executions that run. */
const TOO_MANY = /Throttl|^TooManyRequests|^RequestLimitExceeded$|^ExecutionLimitExceeded$/;

/**
 * Gives the error of a single try to start an execution one of our names, if AWS has certainly started nothing. Any
 * other error stays as it is: the execution may run.
 */
export function asRefusedStart(error: unknown): unknown {
  const name = errorNameOf(error);
  const said = `${name}: ${errorMessageOf(error)}`;
  if (TOO_MANY.test(name)) {
    const message = `Step Functions takes no more starts now: ${said}`;
    return new SteprollError(ErrorName.UpstreamThrottled, message, { cause: error });
  }
  if (adviceOnAccess(error) !== null) {
    const message = `The function roll may not start executions of its state machine: ${said}`;
    return new SteprollError(ErrorName.UpstreamAuth, message, { cause: error });
  }
  return error;
}
