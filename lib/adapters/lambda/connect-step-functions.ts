import { SFNClient } from '@aws-sdk/client-sfn';
import { createExecutionStarter } from '../aws/executions.ts';
import { asRefusedStart } from '../aws/refused-start.ts';
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
