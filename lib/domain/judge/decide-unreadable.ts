import type { Decision } from '../decision.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import type { RolloutPolicy } from '../policy.ts';

/** Reads that may succeed when they are tried again later. */
const WORTH_WAITING: ReadonlySet<ErrorName> = new Set([
  ErrorName.ListUnstable,
  ErrorName.ResponseTooLarge,
  ErrorName.UpstreamConflict,
  ErrorName.UpstreamNotFound,
  ErrorName.UpstreamProtocol,
  ErrorName.UpstreamThrottled,
  ErrorName.UpstreamTimeout,
  ErrorName.UpstreamTransient,
]);

export function isWorthWaiting(error: unknown): error is SteprollError {
  return error instanceof SteprollError && WORTH_WAITING.has(error.name);
}

/**
 * Decides what follows a list that could not be read. When no complete read was made for as long as
 * the progress deadline, the rollout ends as Errored: we could not know, so nothing is stopped.
 */
export function decideUnreadable(
  error: SteprollError,
  sinceReadMs: number,
  { progressDeadlineSeconds }: RolloutPolicy,
): Decision {
  if (sinceReadMs < progressDeadlineSeconds * 1000) return { next: 'wait' };
  return {
    next: 'close',
    ending: {
      outcome: 'Errored',
      reason: error.name,
      message: `The list of endpoints could not be read for ${progressDeadlineSeconds} s. ${error.message}`,
    },
  };
}
