import { isPromise } from 'node:util/types';
import type { Dispatcher } from 'undici';
import type { Instant } from '../../domain/clock.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** 5 MiB. */
const MAX_ANSWER_BYTES = 5 * 1_024 * 1_024;

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** The path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface HttpAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface NoAnswer {
  readonly kind: 'no-answer';
  /** Whether any byte may have left this machine. `false` is certain. */
  readonly sent: boolean;
  readonly cause: unknown;
}

/** Why a request must not be sent any more; `undefined` while it may. It is asked just before the first byte. */
export type WhyNot = () => Error | undefined;

/** Whether the rest of an answer does not matter, of which there are a status, or an interim one, and so many bytes. */
export type IsEnough = (status: number, bytes: number) => boolean;

/**
 * One exchange: sends once, never follows a redirect, never sends again, and reads at most 5 MiB. An aborted exchange
 * ends at once, whatever it was waiting for, and its socket is closed.
 *
 * @param isEnough When it says so, the answer is what has come; the caller closes the socket. @default - at its end
 */
export function sendRequest(
  pool: Pick<Dispatcher, 'dispatch'>,
  request: HttpRequest,
  signal: AbortSignal,
  whyNot: WhyNot,
  isEnough: IsEnough = () => false,
): Promise<HttpAnswer | NoAnswer> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: HttpAnswer['headers'] = {};
    let size = 0;
    const chunks: Buffer[] = [];

    const giveUp = (cause: unknown) => {
      signal.removeEventListener('abort', onAbort);
      resolve({ kind: 'no-answer', sent: controller !== undefined, cause });
      controller?.abort(cause instanceof Error ? cause : new Error('aborted', { cause }));
    };
    const settle = () => {
      signal.removeEventListener('abort', onAbort);
      resolve({ kind: 'answer', status, headers, body: joined(chunks) });
    };
    const onAbort = () => giveUp(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });

    pool.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: { ...request.headers },
        body: request.body ?? null,
        // Only the caller's signal limits the time.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        // This is called when a socket is connected, just before the first byte is written to it.
        onRequestStart(started) {
          if (signal.aborted) return started.abort(new Error('aborted before it was sent'));
          const hindrance = whyNot();
          if (hindrance !== undefined) return started.abort(hindrance);
          controller = started;
        },
        onResponseStart(_controller, statusCode, answerHeaders) {
          status = statusCode;
          headers = answerHeaders;
          if (isEnough(status, size)) settle();
        },
        onResponseData(_controller, chunk) {
          size += chunk.length;
          if (size > MAX_ANSWER_BYTES) {
            giveUp(tooLarge());
          } else {
            chunks.push(chunk);
            if (isEnough(status, size)) settle();
          }
        },
        onResponseEnd: settle,
        onResponseError(_controller, error) {
          giveUp(error);
        },
      },
    );
  });
}

/** Most answers come in one piece, which need not be copied. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first === undefined || chunks.length > 1 ? Buffer.concat(chunks) : first;
}

function tooLarge(): SteprollError {
  return new SteprollError(
    ErrorName.ResponseTooLarge,
    `the answer is larger than ${MAX_ANSWER_BYTES} bytes`,
  );
}

export interface Deadline {
  /** Aborts at the deadline with `UpstreamTimeout`, or with the caller's reason when the caller gives up. */
  readonly signal: AbortSignal;
  readonly endsAt: Instant;
  /** Throws `UpstreamTimeout` after the deadline, which a process that stood still may not have heard of yet. */
  throwIfMissed(): void;
}

/**
 * Runs `work` under one deadline for everything that it does.
 *
 * @param missed Answers the error of a deadline that is over. @default - `UpstreamTimeout` of a service
 */
export async function withDeadline<T>(
  clock: Clock,
  milliseconds: number,
  callerSignal: AbortSignal | undefined,
  work: (deadline: Deadline) => Promise<T>,
  missed: (milliseconds: number) => SteprollError = timeout,
): Promise<T> {
  const deadline = new AbortController();
  const endsAt = clock.now() + milliseconds;
  clock.sleep(milliseconds, deadline.signal).then(
    () => deadline.abort(missed(milliseconds)),
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
        if (clock.now() > endsAt) throw missed(milliseconds);
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

export interface ThrottleGate {
  /** Closes the gate: nothing may be sent for `milliseconds` from now. */
  close(milliseconds: number): void;
  /** Milliseconds until something may be sent: 0 while the gate is open. */
  remaining(): number;
}

/** When one call is told to wait, all calls of the client wait, because the service means the client. */
export function createThrottleGate(clock: Clock): ThrottleGate {
  let opensAt = 0;
  return {
    close(milliseconds) {
      opensAt = Math.max(opensAt, clock.now() + milliseconds);
    },
    remaining() {
      return Math.max(opensAt - clock.now(), 0);
    },
  };
}

/** The error of a call that does not wait for a gate that stays closed for `milliseconds`. */
export function heldBack(who: string, milliseconds: number): SteprollError {
  const retryAfterSeconds = Math.ceil(milliseconds / 1_000);
  return new SteprollError(
    ErrorName.UpstreamThrottled,
    `nothing was sent: ${who} wants no request for another ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}

/**
 * A write is sent within this time after it was handed over to the client, or not at all: it was decided on a look
 * that is older still. A wait for a token, a socket or a name server may take longer, and so may a process that
 * stands still.
 */
export const LONGEST_HAND_OVER_MS = 2_000;

/** Seconds after which to ask again, when nothing of the service says more. */
export const ASK_AGAIN_SECONDS = 1;

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
