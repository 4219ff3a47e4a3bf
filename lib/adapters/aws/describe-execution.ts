import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  InvalidArn,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { toExecution } from '../../contract/execution-status.ts';
import type { Execution } from '../../domain/janitor/execution.ts';
import { executionArnOf } from './execution-arn.ts';

/**
 * Asks Step Functions how the execution of this name stands. The answer may be seconds old.
 *
 * @throws what the SDK throws, after its own retries.
 */
export async function describeExecution(
  client: SFNClient,
  stateMachineArn: string,
  executionName: string,
): Promise<Execution> {
  const executionArn = executionArnOf(stateMachineArn, executionName);
  try {
    // Neither what the execution was given nor what it answered is anybody's business here.
    const includedData = 'METADATA_ONLY';
    return toExecution(
      await client.send(new DescribeExecutionCommand({ executionArn, includedData })),
    );
  } catch (error) {
    // Under a name that is not allowed there can be no execution either.
    if (error instanceof ExecutionDoesNotExist || error instanceof InvalidArn) {
      return { status: 'NOT_FOUND' };
    }
    throw error;
  }
}
