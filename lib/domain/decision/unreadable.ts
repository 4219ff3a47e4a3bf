import { endUnlisted, endUnreadable, type ListOf } from '../ending/error.ts';
import { meaningOf } from '../error-meanings.ts';
import { SteprollError } from '../errors.ts';
import { LONGEST_LOOK_SECONDS } from '../look-again.ts';
import type { Ending } from '../rollout/outcome.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { WaveProgress } from '../rollout/record.ts';
import type { PatientWait } from '../turn/queue.ts';
import { leftOf } from '../wave/polls.ts';
import { type Decision, waitFor } from './decision.ts';

/** Whether a read of the list may succeed when it is tried again later. */
export function isWorthWaiting(error: unknown): error is SteprollError {
  return error instanceof SteprollError && meaningOf(error.name).list !== 'end';
}

/**
 * Decides what follows a list that could not be read: wait, and read it again. When nobody has known for as long
 * as the progress deadline how the wave is, the rollout ends as Errored. Nobody knows the state of the endpoints
 * then, so none is stopped.
 */
export function decideUnreadable(
  error: SteprollError,
  progress: Pick<WaveProgress, 'silentMs' | 'clock' | 'isPaused'>,
  { pollSeconds, progressDeadlineSeconds }: RolloutPolicy,
): Decision {
  const { silentMs } = progress;
  const leftMs = progressDeadlineSeconds * 1000 - silentMs;
  const leftSeconds = leftOf(Math.ceil(leftMs / 1000), progress);
  if (leftSeconds > 0) {
    const wanted = Math.min(LONGEST_LOOK_SECONDS, error.retryAfterSeconds ?? 0);
    const seconds = Math.max(Math.min(pollSeconds, leftSeconds), wanted);
    return waitFor('list', progress, { seconds, leftMs, of: error.message });
  }
  return { next: 'close', ending: endUnreadable(error, silentMs) };
}

/**
 * Whether a read before there is a plan may succeed when it is tried again later.
 *
 * @param hasRead Whether a list was read before: who asks, and where, was right then.
 */
export function mayBeListedLater(error: unknown, hasRead: boolean): error is SteprollError {
  if (hasRead) return isWorthWaiting(error);
  return error instanceof SteprollError && meaningOf(error.name).list === 'again';
}

type UnlistedDecision = PatientWait | { readonly decision: 'end'; readonly ending: Ending };

/**
 * Decides what happens to a rollout that cannot begin because a list cannot be read. The list is asked for again,
 * less and less often, for as long as the progress deadline. Then the rollout ends as Errored, because nobody knows
 * the state of its endpoints, or its version.
 */
export function decideUnlisted(
  error: SteprollError,
  what: ListOf,
  waitedSeconds: number,
  { pollSeconds, progressDeadlineSeconds }: RolloutPolicy,
): UnlistedDecision {
  const secondsLeft = progressDeadlineSeconds - waitedSeconds;
  if (secondsLeft <= 0) {
    return { decision: 'end', ending: endUnlisted(error, what, progressDeadlineSeconds) };
  }
  // A tenth of the wait so far, so that a day of waiting makes some 330 tries.
  const rarer = Math.max(pollSeconds, waitedSeconds / 10, error.retryAfterSeconds ?? 0);
  const seconds = Math.ceil(Math.min(LONGEST_LOOK_SECONDS, rarer, secondsLeft));
  const message = `The list of ${what} cannot be read, and is asked for again. ${error.message}`;
  return { decision: 'wait', seconds, secondsLeft, message };
}
