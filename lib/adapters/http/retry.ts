import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { createPlaces } from '../machine/places.ts';
import type { Fault } from './classify-exchange.ts';
import {
  ASK_AGAIN_SECONDS,
  createThrottleGate,
  type Deadline,
  handOverNow,
  heldBack,
  LONGEST_HAND_OVER_MS,
  type ThrottleGate,
  type WhyNot,
  withDeadline,
} from './send-request.ts';

/** A read that waits longer for a socket is better asked anew later. */
const LONGEST_WAIT_MS = 30_000;

export interface CallerOptions {
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

const MAX_TRIES = 3;
/** Waits have full jitter: up to 200 ms, then up to 400 ms. */
const BASE_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 30_000;
/** A longer wait is left to the caller, because a workflow can wait without a running process. */
const MAX_WAIT_IN_CALL_MS = 20_000;

interface RetryTools extends Pick<CallerOptions, 'clock' | 'random'> {
  readonly budget: RetryBudget;
  readonly gate: ThrottleGate;
}

/**
 * The only place where calls are repeated, and only reads are. Tries up to 3 times, as long as that is harmless, the budget allows it and
 * the wait ends before the deadline. Otherwise it throws the last try's error. If the service wants no calls for
 * longer than that, it throws `UpstreamThrottled` without a try.
 */
async function callWithRetries<T extends { readonly kind: 'answer' }>(
  tryOnce: () => Promise<T | Fault>,
  deadline: Deadline,
  tools: RetryTools,
): Promise<T> {
  const { clock, budget, gate, random } = tools;
  const fits = (wait: number) =>
    wait <= MAX_WAIT_IN_CALL_MS && clock.now() + wait < deadline.endsAt;

  budget.earn();
  for (let tries = 1; ; tries += 1) {
    await waitForGate(deadline, tools, fits);
    const result = await tryOnce();
    if (result.kind !== 'fault') {
      deadline.throwIfMissed();
      return result;
    }
    const asked = result.retryAfterMs ?? 0;
    if (result.holdsEveryCall) {
      gate.close(asked);
    }
    const wait = Math.max(gate.remaining(), asked) + backoff(tries, random);
    if (!result.repeatable || tries === MAX_TRIES || !fits(wait)) throw result.error;
    if (!wasRateLimited(result) && !budget.spend()) throw result.error;
    await clock.sleep(wait, deadline.signal);
  }
}

/**
 * The way of a write: it is sent at most once, and never after a wait, because what it was decided on may be true no
 * more. While the service wants no calls, it throws `UpstreamThrottled` and nothing is sent. Whoever decided on the
 * write looks again and decides anew.
 */
async function callOnce<T extends { readonly kind: 'answer' }>(
  send: () => Promise<T | Fault>,
  { gate }: Pick<RetryTools, 'gate'>,
): Promise<T> {
  const held = gate.remaining();
  if (held > 0) throw heldBack('the service', held);
  const result = await send();
  if (result.kind !== 'fault') return result;
  if (result.holdsEveryCall) gate.close(result.retryAfterMs ?? 0);
  throw result.error;
}

/** Milliseconds before the next try, spread over the whole range so that callers do not align. */
export function backoff(tries: number, random: () => number): number {
  return random() * Math.min(BASE_BACKOFF_MS * 2 ** (tries - 1), MAX_BACKOFF_MS);
}

async function waitForGate(
  deadline: Deadline,
  { clock, gate, random }: RetryTools,
  fits: (wait: number) => boolean,
): Promise<void> {
  // The gate is asked again after the wait, because another call may have been told to wait longer meanwhile.
  for (let held = gate.remaining(); held > 0; held = gate.remaining()) {
    if (!fits(held)) throw heldBack('the service', held);
    await clock.sleep(held + backoff(1, random), deadline.signal);
  }
}

/**
 * A service that limits its callers and says when to come back is not in trouble, so the retry needs no budget. The
 * same holds for a call that was not sent because its time had not come.
 */
function wasRateLimited(fault: Fault): boolean {
  return (
    fault.error instanceof SteprollError &&
    fault.error.name === ErrorName.UpstreamThrottled &&
    fault.error.httpStatus !== 503 &&
    fault.retryAfterMs !== null &&
    fault.retryAfterMs > 0
  );
}

const EARNED_PER_CALL = 1;
const COST_OF_RETRY = 10;
const MOST_CREDIT = 100;

export interface RetryBudget {
  /** Must be called when a call starts. */
  earn(): void;
  /** Whether a retry may be made. If so, the budget pays for it. */
  spend(): boolean;
}

/**
 * Retries may add 10 % to the calls, so that callers do not flood a service in trouble: each call earns a tenth of a
 * retry. The budget starts with 10 retries, so that a single call can be retried, and never holds more. A call that
 * is repeated with a new token is a retry, too, unless the old token was good before.
 */
export function createRetryBudget(): RetryBudget {
  let credit = MOST_CREDIT;
  return {
    earn() {
      credit = Math.min(credit + EARNED_PER_CALL, MOST_CREDIT);
    },
    spend() {
      if (credit < COST_OF_RETRY) return false;
      credit -= COST_OF_RETRY;
      return true;
    },
  };
}
