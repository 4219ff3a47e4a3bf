import { SFNClient } from '@aws-sdk/client-sfn';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { adviceOnAccess } from '../aws/aws-errors.ts';
import { createExecutionStarter } from '../aws/executions.ts';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';

/** Starts an execution of a state machine. An execution of this name that is there already is left as it is. */
export type StartExecution = (
  stateMachineArn: string,
  name: string,
  input: object,
) => Promise<void>;

/** The only try of a start, so that a refusal is never about a try whose answer got lost. */
const MOST_TRIES = 1;

export function connectStepFunctions(): StartExecution {
  const client = new SFNClient({ requestHandler: AWS_TIMEOUTS, maxAttempts: MOST_TRIES });
  return async (stateMachineArn, name, input) => {
    await createExecutionStarter(client, stateMachineArn)(name, input).catch((error: unknown) => {
      throw asRefusedStart(error);
    });
  };
}

/** The names that AWS uses for too many calls, and for too many executions that run. */
const TOO_MANY = /Throttl|^TooManyRequests|^RequestLimitExceeded$|^ExecutionLimitExceeded$/;

/** Gives an error of one try to start one of our names, if AWS has certainly started nothing. */
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
