import { errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { codeOf, NO_ANSWER_AFTER_TLS } from './classify-exchange.ts';
import { excerptOf, excerptOfBody } from './excerpt.ts';
import { createNetwork, type OpenSockets, type SocketOptions } from './network.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type IsEnough,
  type NoAnswer,
  sendRequest,
  type WhyNot,
} from './send-request.ts';

/** One exchange, to show to a person. Secrets are masked. */
export interface ExchangeRecord {
  readonly method: string;
  readonly origin: string;
  /** The path with the query. */
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** At most 256 characters; `null` when none was sent, or when it must not be shown. */
  readonly requestBody: string | null;
  /** `null` when no answer came. */
  readonly status: number | null;
  /** Why no answer came. */
  readonly error: string | null;
  /** The start of the body; `null` when no answer came, or when it must not be shown. */
  readonly answerExcerpt: string | null;
  readonly milliseconds: number;
}

export interface Connection {
  /**
   * @param whyNot Asked once a socket is there, which may take a while. @default - it may be sent at any time
   * @param isEnough When it says so, the answer is what has come; then the socket is of no more use. @default - at its end
   */
  send(
    request: HttpRequest,
    signal: AbortSignal,
    whyNot?: WhyNot,
    isEnough?: IsEnough,
  ): Promise<HttpAnswer | NoAnswer>;
  /** Closes every socket at once, whatever it is doing. */
  close(): Promise<void>;
}

const COMMON_HEADERS = {
  accept: 'application/json',
  // A compressed answer hides its size, and one that was cut off may look complete.
  'accept-encoding': 'identity',
  'user-agent': 'steproll',
} as const;

export interface ConnectionOptions {
  readonly origin: string;
  /** How many sockets there are; further exchanges wait. */
  readonly sockets: number;
  /** Opens them. @default - those of the network, with nothing but the environment's proxies */
  readonly openSockets?: OpenSockets | undefined;
  /** How they may be opened. @default - as those to a server that somebody has named */
  readonly socketOptions?: SocketOptions | undefined;
  readonly clock: Clock;
  /** Whether `onExchange` gets the bodies. Those of a token endpoint are secrets. */
  readonly showBodies: boolean;
  readonly onExchange: ((exchange: ExchangeRecord) => void) | undefined;
  /** The most characters of an answer's body that `onExchange` gets. @default 256 */
  readonly excerptLength?: number | undefined;
}

/** A pool of sockets to one origin. */
export function openConnection(options: ConnectionOptions): Connection {
  const {
    origin,
    sockets,
    openSockets = createNetwork(),
    socketOptions,
    clock,
    onExchange,
  } = options;
  const pool = openSockets(origin, sockets, socketOptions);
  let hasAnswered = false;
  return {
    async send(request, signal, whyNot = () => undefined, isEnough?) {
      const startedAt = clock.now();
      const full = { ...request, headers: { ...COMMON_HEADERS, ...request.headers } };
      const exchange = await sendRequest(pool, full, signal, whyNot, isEnough);
      hasAnswered ||= exchange.kind === 'answer';
      const isStranger = !hasAnswered && pool.wantsCertificate?.() === true;
      const result = isStranger ? afterTls(exchange) : exchange;
      const milliseconds = clock.now() - startedAt;
      onExchange?.({ origin, ...describeExchange(full, result, options), milliseconds });
      return result;
    },
    close() {
      return pool.destroy();
    },
  };
}

/**
 * A server that has asked for a client certificate, and that gets none or does not trust it, may just close the
 * connection once TLS stands. It looks like an outage, except that it never answers.
 */
function afterTls(exchange: HttpAnswer | NoAnswer): HttpAnswer | NoAnswer {
  const isClosed =
    exchange.kind === 'no-answer' && exchange.sent && CLOSED.includes(codeOf(exchange.cause));
  if (!isClosed) return exchange;
  const message = `${errorMessageOf(exchange.cause)}, without an answer; the server has asked for a client certificate, so it may want another one`;
  const cause = Object.assign(new Error(message, exchange), { code: NO_ANSWER_AFTER_TLS });
  return { ...exchange, cause };
}

const CLOSED: readonly string[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/** The second one has the session token of temporary credentials of AWS. */
const SECRET_HEADERS = ['authorization', 'x-amz-security-token'];

function withoutSecrets(headers: HttpRequest['headers']): HttpRequest['headers'] {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    SECRET_HEADERS.includes(name) ? '[hidden]' : value,
  ]);
  return Object.fromEntries(shown);
}

function describeExchange(
  { method, path, headers, body }: HttpRequest,
  result: HttpAnswer | NoAnswer,
  { showBodies, excerptLength }: Pick<ConnectionOptions, 'showBodies' | 'excerptLength'>,
): Omit<ExchangeRecord, 'origin' | 'milliseconds'> {
  return {
    method,
    path,
    requestHeaders: withoutSecrets(headers),
    requestBody: body === undefined || !showBodies ? null : excerptOf(body),
    ...(result.kind === 'answer'
      ? {
          status: result.status,
          error: null,
          answerExcerpt: showBodies ? excerptOfBody(result, excerptLength) : null,
        }
      : {
          status: null,
          error: codeOf(result.cause) || errorNameOf(result.cause),
          answerExcerpt: null,
        }),
  };
}
