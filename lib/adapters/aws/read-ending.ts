import { GetExecutionHistoryCommand, type SFNClient } from '@aws-sdk/client-sfn';
import * as z from 'zod';
import { errorNameOf } from '../../domain/errors.ts';
import { OUTCOME_KINDS, type Outcome } from '../../domain/outcome.ts';

/** What an outcome says of why a rollout ended. */
export type ExecutionEnding = Pick<Outcome, 'outcome' | 'reason'>;

/**
 * How the workflow ended a rollout: the state that fails an execution is given the outcome. `null` where the
 * history says nothing of it, or may not be read.
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
    // The end of the execution, and the state before it.
    maxResults: 2,
  });
  const { events = [] } = await client.send(command).catch((error: unknown) => {
    // The reason is known without it: a role that is older than this call keeps working.
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
