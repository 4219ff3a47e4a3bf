import { ErrorName } from '../errors.ts';
import type { Ending } from '../rollout/outcome.ts';

/** Errors that are a no, not a don't-know. */
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

/** The ending of a rollout whose step failed with an error: Errored, unless the error is a plain no. */
export function endByError(name: string, message: string): Ending {
  return {
    outcome: REFUSALS.has(name) ? 'Failed' : 'Errored',
    reason: name,
    message: message || `A step ended with ${name}.`,
  };
}

/** What a process answers of a rollout that another process has, and that has not ended there yet. */
export const GOES_ON_ELSEWHERE: Ending = {
  outcome: 'Errored',
  reason: ErrorName.LeaseLost,
  message: 'Another process has this rollout, and goes on with it.',
};
