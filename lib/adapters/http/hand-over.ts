import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WhyNot } from './send-request.ts';

/**
 * A write is sent within this time after it was handed over to the client, or not at all: it was decided on a look
 * that is older still. A wait for a token, a socket or a name server may take longer, and so may a process that
 * stands still.
 */
const LONGEST_HAND_OVER_MS = 2_000;

/** Seconds after which to ask again, when nothing of the service says more. */
const ASK_AGAIN_SECONDS = 1;

/** Whether a write that is handed over now may still be sent. After the clock went back it may not. */
export function handOverNow(clock: Pick<Clock, 'now'>): WhyNot {
  const at = clock.now();
  return () => {
    const waitedMs = clock.now() - at;
    if (waitedMs >= 0 && waitedMs <= LONGEST_HAND_OVER_MS) return undefined;
    return new SteprollError(
      ErrorName.UpstreamTimeout,
      `nothing was sent: the write was ready ${waitedMs / 1_000} s after it was decided, and by then it may be wrong`,
      { retryAfterSeconds: ASK_AGAIN_SECONDS },
    );
  };
}
