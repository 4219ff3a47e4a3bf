import { meaningOf } from '../error-meanings.ts';
import { ErrorName } from '../errors.ts';
import type { Ending } from '../rollout/outcome.ts';

/** The ending of a rollout whose step failed with an error: Errored, unless the error is a clear no. */
export function endByError(name: string, message: string): Ending {
  return {
    outcome: meaningOf(name).ending,
    reason: name,
    message: message || `A step ended with ${name}.`,
  };
}

/** The answer of a process when another process has the rollout and has not ended it yet. */
export const GOES_ON_ELSEWHERE: Ending = {
  outcome: 'Errored',
  reason: ErrorName.LeaseLost,
  message: 'Another process has this rollout, and goes on with it.',
};
