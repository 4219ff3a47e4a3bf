import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  InvalidArn,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { toExecution } from '../../contract/execution-status.ts';
import type { ExecutionStatus } from '../../domain/janitor/execution.ts';
import { asAwsError } from './aws-error.ts';

export interface ExecutionState {
  readonly status: ExecutionStatus;
  /** The sentence that a failed one ended with. @default - Step Functions does not say */
  readonly cause?: string;
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
    const { status } = toExecution(said);
    return { status, ...(said.cause !== undefined && { cause: said.cause }) };
  } catch (error) {
    // Under a name that is not allowed there can be no execution either.
    if (error instanceof ExecutionDoesNotExist || error instanceof InvalidArn) {
      return { status: 'NOT_FOUND' };
    }
    throw asAwsError(error, `read the execution ${executionArn}`);
  }
}
