import { ErrorName, SteprollError } from '../errors.ts';
import type { Ending } from '../rollout/outcome.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';

/**
 * Reads that may succeed when they are tried again later. A runtime that is not there and an answer of another
 * shape are a mistake before anything was read, and an accident only afterwards.
 */
const WORTH_WAITING: ReadonlySet<ErrorName> = new Set([
  ErrorName.ListUnstable,
  ErrorName.UpstreamConflict,
  ErrorName.UpstreamThrottled,
  ErrorName.UpstreamTimeout,
  ErrorName.UpstreamTransient,
]);

export function mayBeListedLater(error: unknown): error is SteprollError {
  return error instanceof SteprollError && WORTH_WAITING.has(error.name);
}

const LONGEST_WAIT_SECONDS = 300;

type UnlistedDecision =
  | {
      readonly decision: 'wait';
      /** A whole number. */
      readonly seconds: number;
      /** Seconds until it has waited for too long. */
      readonly secondsLeft: number;
      readonly message: string;
    }
  | { readonly decision: 'end'; readonly ending: Ending };

/**
 * Decides what becomes of a rollout that cannot begin because the list cannot be read: it is asked for again,
 * less and less often, for as long as the progress deadline. Then the rollout ends as Errored: we could not know.
 */
export function decideUnlisted(
  error: SteprollError,
  waitedSeconds: number,
  { pollSeconds, progressDeadlineSeconds }: RolloutPolicy,
): UnlistedDecision {
  const secondsLeft = progressDeadlineSeconds - waitedSeconds;
  if (secondsLeft <= 0) {
    return {
      decision: 'end',
      ending: {
        outcome: 'Errored',
        reason: error.name,
        message: `Nothing was rolled: the list of endpoints could not be read for ${progressDeadlineSeconds} s. ${error.message}`,
      },
    };
  }
  // A tenth of what was waited, so that a day of waiting is some 330 tries.
  const rarer = Math.max(pollSeconds, waitedSeconds / 10, error.retryAfterSeconds ?? 0);
  const seconds = Math.ceil(Math.min(LONGEST_WAIT_SECONDS, rarer, secondsLeft));
  const message = `The list of endpoints cannot be read, and is asked for again. ${error.message}`;
  return { decision: 'wait', seconds, secondsLeft, message };
}
