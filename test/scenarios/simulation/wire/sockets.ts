import type { Dispatcher } from 'undici';
import type { Sockets } from '../../../../lib/adapters/http/network.ts';
import type { Time } from '../../../support/scenario-time.ts';
import type { Exchange } from '../ordeal.ts';

/** A request as it comes in. */
export interface Arrived {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly authorization: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Served {
  readonly time: Pick<Time, 'now' | 'sleep'>;
  /** Milliseconds from the sending of a request until it is carried out. */
  readonly latencyMs: number;
  /** What becomes of the next request of this method. */
  next(method: string): Exchange;
  /** The first byte of a request has left the client. */
  readonly onSent?: (request: Arrived) => void;
  /** The answer has come in as it is, and somebody waits for it. */
  readonly onAnswered?: (request: Arrived, answer: Answer) => void;
  /** Whether the request may be carried out; if not, the answer. */
  refuse(request: Arrived, exchange: Exchange): Answer | undefined;
  carryOut(request: Arrived): Answer;
}

/**
 * Sockets without a network, in virtual time. To the client they are those of undici: it is asked just before the
 * first byte, hears of errors in the same way, and whatever it does not wait for any more goes on without it.
 */
export function simulatedSockets(served: Served): Sockets {
  return {
    dispatch({ method, path, headers }, handler) {
      const { authorization } = headers as Readonly<Record<string, string | undefined>>;
      void exchange({ method, path, authorization }, handler, served);
      return true;
    },
    destroy: () => Promise.resolve(),
  };
}

async function exchange(
  request: Arrived,
  handler: Dispatcher.DispatchHandler,
  served: Served,
): Promise<void> {
  const { time, latencyMs, next, onSent, onAnswered, refuse, carryOut } = served;
  const fate = next(request.method);
  const { kind } = fate;
  const wait = (milliseconds: number) =>
    milliseconds > 0 ? time.sleep(milliseconds) : Promise.resolve();
  const control = controllerOf(handler);
  const fail = (code: string) => control.abort(Object.assign(new Error(code), { code }));
  const answer = (given: Answer) => {
    if (control.aborted) return;
    onAnswered?.(request, given);
    const { status, headers, body } = given;
    handler.onResponseStart?.(control, status, { ...headers });
    if (body !== '') handler.onResponseData?.(control, Buffer.from(body));
    handler.onResponseEnd?.(control, {});
  };

  // Nobody hears of anything before the caller has gone on.
  await null;
  if (kind === 'waits') await wait(fate.seconds * 1000);
  if (kind === 'refused') return fail('ECONNREFUSED');
  handler.onRequestStart?.(control, {});
  if (control.aborted) return;
  onSent?.(request);
  await wait(latencyMs);
  if (kind === 'dropped') return fail('ECONNRESET');
  if (kind === 'late') await wait(fate.seconds * 1000);
  const result = refuse(request, fate) ?? carryOut(request);
  if (kind === 'unheard') return fail('ECONNRESET');
  if (kind === 'slow') await wait(fate.seconds * 1000);
  answer(disguised(result, fate));
}

function controllerOf(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchController {
  let reason: Error | null = null;
  const control: Dispatcher.DispatchController = {
    get aborted() {
      return reason !== null;
    },
    get paused() {
      return false;
    },
    get reason() {
      return reason;
    },
    abort(why) {
      if (reason !== null) return;
      reason = why;
      handler.onResponseError?.(control, why);
    },
    pause: () => undefined,
    resume: () => undefined,
  };
  return control;
}

/** What a proxy or another service in its place makes of an answer. */
function disguised(answer: Answer, { kind }: Exchange): Answer {
  if (kind === 'empty') return { ...answer, body: '' };
  return kind === 'envelope' ? { ...answer, body: `${ENVELOPE}${answer.body || 'null'}}` } : answer;
}

export const ENVELOPE = '{"data":';
