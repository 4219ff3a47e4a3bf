import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  InvalidArn,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { toExecution } from '../../contract/execution-status.ts';
import { ErrorName } from '../../domain/errors.ts';
import type { ExecutionStatus } from '../../domain/janitor/execution.ts';
import { asAwsError } from './aws-error.ts';
import { type ExecutionEnding, readEnding } from './read-ending.ts';

export interface ExecutionState {
  readonly status: ExecutionStatus;
  /** The sentence that a failed one ended with. @default - Step Functions does not say */
  readonly cause?: string;
  /** How a failed one ended its rollout. @default - not known */
  readonly ending?: ExecutionEnding;
}

/**
 * How an execution stands, and why it failed. The answer may be seconds old.
 *
 * @throws `AwsUnavailable`
 */
export async function readExecution(
  client: SFNClient,
  executionArn: string,
): Promise<ExecutionState> {
  try {
    const said = await client.send(new DescribeExecutionCommand({ executionArn }));
    const { status, error } = toExecution(said);
    const ending = status === 'FAILED' ? await endingOf(client, executionArn, error) : null;
    return {
      status,
      ...(said.cause !== undefined && { cause: said.cause }),
      ...(ending !== null && { ending }),
    };
  } catch (error) {
    // Under a name that is not allowed there can be no execution either.
    if (error instanceof ExecutionDoesNotExist || error instanceof InvalidArn) {
      return { status: 'NOT_FOUND' };
    }
    throw asAwsError(error, `read the execution ${executionArn}`);
  }
}

/** One that the workflow did not end itself has broken down, and what it was about is not known. */
async function endingOf(
  client: SFNClient,
  executionArn: string,
  error = 'ExecutionFailed',
): Promise<ExecutionEnding | null> {
  if (error !== ErrorName.RolloutFailed) return { outcome: 'Errored', reason: error };
  return readEnding(client, executionArn);
}
