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

/** The service may ask for more patience: then it is asked in between. */
const LONGEST_WAIT_SECONDS = 300;

/**
 * Decides what follows a list that could not be read: to wait, or to go on baking, and read it again. When
 * no read was complete for as long as the progress deadline, the rollout ends as Errored: we could not
 * know, so nothing is stopped.
 */
export function decideUnreadable(
  error: SteprollError,
  next: 'wait' | 'bake',
  unreadableMs: number,
  { pollSeconds, progressDeadlineSeconds }: RolloutPolicy,
): Decision {
  const leftSeconds = Math.ceil(progressDeadlineSeconds - unreadableMs / 1000);
  if (leftSeconds > 0) {
    const wanted = Math.min(LONGEST_WAIT_SECONDS, error.retryAfterSeconds ?? 0);
    return { next, seconds: Math.max(Math.min(pollSeconds, leftSeconds), wanted) };
  }
  return {
    next: 'close',
    ending: {
      outcome: 'Errored',
      reason: error.name,
      message: `The list of endpoints could not be read for ${Math.floor(unreadableMs / 1000)} s. ${error.message}`,
    },
  };
}
