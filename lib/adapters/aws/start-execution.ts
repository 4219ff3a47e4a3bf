import { type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { errorNameOf } from '../../domain/errors.ts';

/**
 * Starts executions of a state machine by names that are taken once in 90 days, so that a start may be
 * asked for twice. While an execution of the name runs, AWS answers the same start again; after that,
 * or for another input, it says that the name is taken: `duplicate`. Throws what the SDK throws, after
 * its own retries.
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
