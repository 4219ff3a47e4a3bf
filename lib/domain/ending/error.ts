import { ErrorName } from '../errors.ts';
import type { Ending } from '../rollout/outcome.ts';

/** Errors that mean a clear no, and not that the result is unknown. */
const REFUSALS: ReadonlySet<string> = new Set([
  ErrorName.DowngradeRefused,
  ErrorName.EmptyScope,
  ErrorName.InvalidEndpointId,
  ErrorName.InvalidInput,
  ErrorName.LeaseHeld,
  ErrorName.OutsideWindow,
  ErrorName.PlanChanged,
  ErrorName.StaleTrigger,
  ErrorName.UpstreamNotFound,
  ErrorName.UpstreamRejected,
  ErrorName.VersionStepRefused,
  ErrorName.VersionUnknown,
]);

/** The ending of a rollout whose step failed with an error: Errored, unless the error is a clear no. */
export function endByError(name: string, message: string): Ending {
  return {
    outcome: REFUSALS.has(name) ? 'Failed' : 'Errored',
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
