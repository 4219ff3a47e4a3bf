import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { createPlaces } from '../machine/places.ts';
import {
  ASK_AGAIN_SECONDS,
  type Deadline,
  heldBack,
  LONGEST_HAND_OVER_MS,
  type ThrottleGate,
  withDeadline,
} from './send-request.ts';

/** A read that waits longer for a socket is better asked anew later. */
const LONGEST_WAIT_MS = 30_000;

interface SocketLineOptions {
  /** How many sockets there are, and so how many calls are under way at once. */
  readonly sockets: number;
  readonly clock: Clock;
  /** Milliseconds for a call, with its retries and waits, from the moment on at which it has a socket. */
  readonly deadlineMs: number;
  readonly gate: ThrottleGate;
}

/** Does the work of a call once a socket is there for it, under one deadline that begins then. */
type InLine = <T>(
  writes: boolean,
  signal: AbortSignal | undefined,
  work: (deadline: Deadline) => Promise<T>,
) => Promise<T>;

/**
 * Calls wait here for a socket, and not under their deadline: how busy this process is says nothing about the service.
 * Writes go before reads, because what they were decided on gets old.
 *
 * A read that gets no socket within 30 s, or a write within 2 s, throws `UpstreamTimeout`, and nothing was sent.
 */
export function createSocketLine(options: SocketLineOptions): InLine {
  const { sockets, clock, deadlineMs, gate } = options;
  const places = createPlaces(sockets);

  function waitForSocket(writes: boolean, signal: AbortSignal | undefined): Promise<() => void> {
    const held = writes ? gate.remaining() : 0;
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

  return async (writes, signal, work) => {
    const leave = places.takeFree() ?? (await waitForSocket(writes, signal));
    try {
      return await withDeadline(clock, deadlineMs, signal, work);
    } finally {
      leave();
    }
  };
}

function noSocket(milliseconds: number): SteprollError {
  return new SteprollError(
    ErrorName.UpstreamTimeout,
    `nothing was sent: this process had no socket to the service free within ${milliseconds / 1_000} s, because it has too many calls under way`,
    { retryAfterSeconds: ASK_AGAIN_SECONDS },
  );
}
