import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { createPlaces } from '../machine/places.ts';
import type { Fault } from './classify-exchange.ts';
import { callOnce, callWithRetries, createRetryBudget, type RetryBudget } from './retry.ts';
import {
  ASK_AGAIN_SECONDS,
  createThrottleGate,
  handOverNow,
  heldBack,
  LONGEST_HAND_OVER_MS,
  type WhyNot,
  withDeadline,
} from './send-request.ts';

/** A read that waits longer for a socket is better asked anew later. */
const LONGEST_WAIT_MS = 30_000;

interface CallerOptions {
  /** How many sockets there are, and so how many calls are under way at once. */
  readonly sockets: number;
  readonly clock: Clock;
  /** Milliseconds for a call, with its retries and waits, from the moment on at which it has a socket. */
  readonly deadlineMs: number;
  /** Answers a number from 0 to 1, which spreads the waits between retries. */
  readonly random: () => number;
}

export interface Caller {
  /** Calls that are repeated for another reason take from it, too. */
  readonly budget: RetryBudget;
  /** @param begin Is called once there is a socket. Answers what makes one try, until the signal aborts. */
  call<T extends { readonly kind: 'answer' }>(
    writes: boolean,
    signal: AbortSignal | undefined,
    begin: (signal: AbortSignal, whyNot: WhyNot | undefined) => () => Promise<T | Fault>,
  ): Promise<T>;
}

/**
 * Makes the calls of one client. A read is tried up to 3 times, a write is sent at most once.
 *
 * Calls wait here for a socket, and not under their deadline: how busy this process is says nothing about the service.
 * Writes go before reads, because what they were decided on gets old.
 *
 * A read that gets no socket within 30 s, or a write within 2 s, throws `UpstreamTimeout`, and nothing was sent.
 */
export function createCaller({ sockets, clock, deadlineMs, random }: CallerOptions): Caller {
  const places = createPlaces(sockets);
  const tools = { clock, random, budget: createRetryBudget(), gate: createThrottleGate(clock) };

  function waitForSocket(writes: boolean, signal: AbortSignal | undefined): Promise<() => void> {
    const held = writes ? tools.gate.remaining() : 0;
    if (held > 0) throw heldBack('the service', held);
    const longestMs = writes ? LONGEST_HAND_OVER_MS : LONGEST_WAIT_MS;
    return withDeadline(
      clock,
      longestMs,
      signal,
      (deadline) => places.take({ rank: writes ? 0 : 1 }, deadline.signal),
      () => noSocket(longestMs),
    );
  }

  return {
    budget: tools.budget,
    async call(writes, signal, begin) {
      const whyNot = writes ? handOverNow(clock) : undefined;
      const leave = places.takeFree() ?? (await waitForSocket(writes, signal));
      try {
        return await withDeadline(clock, deadlineMs, signal, (deadline) => {
          const tryOnce = begin(deadline.signal, whyNot);
          return writes ? callOnce(tryOnce, tools) : callWithRetries(tryOnce, deadline, tools);
        });
      } finally {
        leave();
      }
    },
  };
}

function noSocket(milliseconds: number): SteprollError {
  return new SteprollError(
    ErrorName.UpstreamTimeout,
    `nothing was sent: this process had no socket to the service free within ${milliseconds / 1_000} s, because it has too many calls under way`,
    { retryAfterSeconds: ASK_AGAIN_SECONDS },
  );
}
