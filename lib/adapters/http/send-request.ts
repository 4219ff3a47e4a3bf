import type { Dispatcher } from 'undici';
import { ErrorName, SteprollError } from '../../domain/errors.ts';

/** 5 MiB. */
const MAX_ANSWER_BYTES = 5 * 1_024 * 1_024;

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
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

/**
 * One exchange: sends once, never follows a redirect, never sends again, and reads at most 5 MiB. An aborted exchange
 * ends at once, whatever it was waiting for, and its socket is closed.
 */
export function sendRequest(
  pool: Pick<Dispatcher, 'dispatch'>,
  request: HttpRequest,
  signal: AbortSignal,
  whyNot: WhyNot,
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
        },
        onResponseData(_controller, chunk) {
          size += chunk.length;
          if (size > MAX_ANSWER_BYTES) {
            giveUp(tooLarge());
          } else {
            chunks.push(chunk);
          }
        },
        onResponseEnd() {
          signal.removeEventListener('abort', onAbort);
          resolve({ kind: 'answer', status, headers, body: joined(chunks) });
        },
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
