import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  GetExecutionHistoryCommand,
  InvalidArn,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import * as z from 'zod';
import { toExecution } from '../../contract/flow/execution-status.ts';
import type { Execution, ExecutionStatus } from '../../domain/ending/execution.ts';
import { isRefusal } from '../../domain/error-meanings.ts';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import { OUTCOME_KINDS, type Outcome } from '../../domain/rollout/outcome.ts';
import { asAwsError } from './aws-errors.ts';

export interface ExecutionState {
  readonly status: ExecutionStatus;
  /** The sentence with which a failed execution ended. @default - Step Functions does not say */
  readonly cause?: string;
  /** The ending of the rollout of a failed execution. @default - not known */
  readonly ending?: ExecutionEnding;
}

/** How an execution stands, and why it failed. The answer may be seconds old. @throws `AwsUnavailable` */
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
    if (isNotThere(error)) return { status: 'NOT_FOUND' };
    throw asAwsError(error, `read the execution ${executionArn}`);
  }
}

/** There can be no execution under a name that is not allowed. */
function isNotThere(error: unknown): boolean {
  return error instanceof ExecutionDoesNotExist || error instanceof InvalidArn;
}

/** The ending of a failed execution: not known if it broke down and the workflow did not end it itself. */
async function endingOf(
  client: SFNClient,
  executionArn: string,
  error = 'ExecutionFailed',
): Promise<ExecutionEnding | null> {
  if (error === ErrorName.RolloutFailed) return readEnding(client, executionArn);
  return { outcome: isRefusal(error) ? 'Refused' : 'Errored', reason: error };
}

/** How the execution of this name stands, by an answer that may be seconds old. @throws what the SDK throws. */
export async function describeExecution(
  client: SFNClient,
  stateMachineArn: string,
  executionName: string,
): Promise<Execution> {
  const executionArn = executionArnOf(stateMachineArn, executionName);
  try {
    // Nobody here needs the input and the output of the execution.
    const includedData = 'METADATA_ONLY';
    return toExecution(
      await client.send(new DescribeExecutionCommand({ executionArn, includedData })),
    );
  } catch (error) {
    if (isNotThere(error)) return { status: 'NOT_FOUND' };
    throw error;
  }
}

export function executionArnOf(stateMachineArn: string, executionName: string): string {
  return `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${executionName}`;
}

type ExecutionEnding = Pick<Outcome, 'outcome' | 'reason'>;

/**
 * How the workflow ended a rollout: the outcome is the input of the state that fails an execution. `null` when the
 * history does not contain it, or may not be read.
 *
 * @throws what the SDK throws, after its own retries.
 */
export async function readEnding(
  client: SFNClient,
  executionArn: string,
): Promise<ExecutionEnding | null> {
  const command = new GetExecutionHistoryCommand({
    executionArn,
    reverseOrder: true,
    // The last two events are the end of the execution and the state before it.
    maxResults: 2,
  });
  const { events = [] } = await client.send(command).catch((error: unknown) => {
    // The caller can do without the ending, so a role without this permission works.
    if (errorNameOf(error).startsWith('AccessDenied')) return { events: [] };
    throw error;
  });
  const entered = events.find(({ type }) => type === 'FailStateEntered');
  return outcomeIn(entered?.stateEnteredEventDetails?.input ?? '');
}

const endingSchema = z.object({ outcome: z.enum(OUTCOME_KINDS), reason: z.string() });

function outcomeIn(text: string): ExecutionEnding | null {
  try {
    return endingSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Starts executions of a state machine under names that can be used only once in 90 days, so a start may be repeated.
 * While an execution of the name runs, AWS answers the same start again. After that, or for another input, it says
 * that the name is taken: `duplicate`. Throws what the SDK throws, after its own retries.
 */
export function createExecutionStarter(
  client: SFNClient,
  stateMachineArn: string,
): (name: string, input: object) => Promise<'started' | 'duplicate'> {
  return async (name, input) => {
    try {
      await client.send(
        new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }),
      );
      return 'started';
    } catch (error) {
      if (errorNameOf(error) === 'ExecutionAlreadyExists') return 'duplicate';
      throw error;
    }
  };
}
