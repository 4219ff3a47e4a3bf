import { isPromise } from 'node:util/types';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

export interface Deadline {
  /** Aborts at the deadline with `UpstreamTimeout`, or with the caller's reason when the caller gives up. */
  readonly signal: AbortSignal;
  /** Milliseconds since the Unix epoch. */
  readonly endsAt: number;
  /**
   * Throws `UpstreamTimeout` after the deadline. After a process stood still, an answer that lay ready all that time
   * may come to it before the signal does.
   */
  throwIfMissed(): void;
}

/** Runs `work` under one deadline for everything that it does. */
export async function withDeadline<T>(
  clock: Clock,
  milliseconds: number,
  callerSignal: AbortSignal | undefined,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const endsAt = clock.now() + milliseconds;
  clock.sleep(milliseconds, deadline.signal).then(
    () => deadline.abort(timeout(milliseconds)),
    () => undefined,
  );
  // This is done by hand, because AbortSignal.any costs as much as the rest of a call.
  const onCallerAbort = () => deadline.abort(callerSignal?.reason);
  if (callerSignal?.aborted) {
    onCallerAbort();
  }
  callerSignal?.addEventListener('abort', onCallerAbort, { once: true });
  try {
    return await work({
      signal: deadline.signal,
      endsAt,
      throwIfMissed() {
        if (clock.now() > endsAt) throw timeout(milliseconds);
      },
    });
  } finally {
    callerSignal?.removeEventListener('abort', onCallerAbort);
    // Only the clock still listens to the signal.
    deadline.abort(null);
  }
}

function timeout(milliseconds: number): SteprollError {
  return new SteprollError(
    ErrorName.UpstreamTimeout,
    `no complete answer within ${milliseconds / 1_000} s`,
  );
}

/** Stops waiting for shared work when the signal aborts. The work itself goes on. */
export async function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  if (!isPromise(work)) {
    signal.throwIfAborted();
    return work;
  }
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) {
      onAbort();
    }
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    // Both promises are listened to, whichever ends first: a failure that nobody listens to ends the process.
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
