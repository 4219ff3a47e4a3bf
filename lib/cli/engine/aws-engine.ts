import type { OpenStack } from '../../adapters/aws/open-stack.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { rolloutIdOf } from '../../steps/take-trigger.ts';
import type { AwsEngine } from './engine.ts';

/** The rollouts of a stack on AWS. An execution of its state machine is a rollout. */
export function createAwsEngine(stack: OpenStack): AwsEngine {
  const { ledger } = stack;

  async function hasBegun(rolloutId: string): Promise<boolean> {
    try {
      await ledger.read(rolloutId);
      return true;
    } catch (error) {
      if (errorNameOf(error) === ErrorName.RolloutNotFound) return false;
      throw error;
    }
  }

  return {
    ledger,
    start: stack.start,
    async describeWaiting(rolloutId) {
      const { status, cause } = await stack.readExecution(rolloutId);
      if (status === 'NOT_FOUND') return null;
      if (status === 'RUNNING') return WAITS;
      // It may have begun, and ended, since somebody looked.
      if (await hasBegun(rolloutId)) return WAITS;
      throw new SteprollError(ErrorName.RolloutFailed, describeEnd(status, cause));
    },
    async endWaiting(rolloutId, why) {
      const { status } = await stack.readExecution(rolloutId);
      if (status !== 'RUNNING') return false;
      // First of all it can begin no more: whoever stops what has begun leaves it to the janitor.
      await ledger.bury(rolloutId);
      if (await hasBegun(rolloutId)) return false;
      await stack.stopExecution(rolloutId, why);
      return true;
    },
    async publish(release) {
      const eventId = await stack.publishRelease(release);
      return { rolloutId: rolloutIdOf({ kind: 'release', key: eventId }), result: 'sent' };
    },
  };
}

/** One that the workflow ended itself has the sentence of its outcome as its cause. */
function describeEnd(status: string, cause: string | undefined): string {
  if (status === 'FAILED' && cause !== undefined) return cause;
  return `Its execution ended as ${status} before it had begun${cause === undefined ? '' : `: ${cause}`}.`;
}

const WAITS = 'It has not begun yet: it waits for its turn.';
