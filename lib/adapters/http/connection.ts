import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import { errorNameOf } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { codeOf } from './classify-exchange.ts';
import { excerptOf, excerptOfBody } from './excerpt.ts';
import {
  type HttpAnswer,
  type HttpRequest,
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
  /** @param whyNot Asked once a socket is there, which may take a while. @default - it may be sent at any time */
  send(request: HttpRequest, signal: AbortSignal, whyNot?: WhyNot): Promise<HttpAnswer | NoAnswer>;
  /** Closes every socket at once, whatever it is doing. */
  close(): Promise<void>;
}

const COMMON_HEADERS = {
  accept: 'application/json',
  // A compressed answer hides its size, and one that was cut off may look complete.
  'accept-encoding': 'identity',
  'user-agent': 'steproll',
} as const;

/** This is less than half of the default deadline, so there is time for a second address. */
const CONNECT_TIMEOUT_MS = 4_000;
/** Node's own 250 ms gives up on routes that work: nodejs/undici#2990. */
const ADDRESS_TIMEOUT_MS = 1_000;

/** The sockets to one origin. They take requests in the way of undici. */
export type Sockets = Pick<Dispatcher, 'dispatch'> & { destroy(): Promise<void> };

export type OpenSockets = (origin: string, most: number) => Sockets;

export interface ConnectionOptions {
  readonly origin: string;
  /** How many sockets there are; further exchanges wait. */
  readonly sockets: number;
  /** Opens them. @default - those of the network */
  readonly openSockets?: OpenSockets | undefined;
  readonly clock: Clock;
  /** Whether `onExchange` gets the bodies. Those of a token endpoint are secrets. */
  readonly showBodies: boolean;
  readonly onExchange: ((exchange: ExchangeRecord) => void) | undefined;
  /** The most characters of an answer's body that `onExchange` gets. @default 256 */
  readonly excerptLength?: number | undefined;
}

/** A pool of sockets to one origin. */
export function openConnection(options: ConnectionOptions): Connection {
  const { origin, sockets, openSockets = openPool, clock, onExchange } = options;
  const pool = openSockets(origin, sockets);
  return {
    async send(request, signal, whyNot = () => undefined) {
      const startedAt = clock.now();
      const full = { ...request, headers: { ...COMMON_HEADERS, ...request.headers } };
      const result = await sendRequest(pool, full, signal, whyNot);
      const milliseconds = clock.now() - startedAt;
      onExchange?.({ origin, ...describeExchange(full, result, options), milliseconds });
      return result;
    },
    close() {
      return pool.destroy();
    },
  };
}

function openPool(origin: string, most: number): Sockets {
  return new Pool(origin, {
    connections: most,
    connectTimeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    // Each socket has only one request, so closing a socket never ends another request.
    allowH2: false,
    pipelining: 1,
  });
}

/** The second one has the session token of temporary credentials of AWS. */
const SECRET_HEADERS = ['authorization', 'x-amz-security-token'];

/** The secrets in the headers of a request. Their names are in lower case. */
export function secretsIn(headers: HttpRequest['headers']): string[] {
  const values = SECRET_HEADERS.map((name) => headers[name]);
  return values.filter((value) => value !== undefined).map((value) => value.replace(/^\w+ /, ''));
}

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
  const secrets = secretsIn(headers);
  return {
    method,
    path,
    requestHeaders: withoutSecrets(headers),
    requestBody: body === undefined || !showBodies ? null : excerptOf(body, secrets),
    ...(result.kind === 'answer'
      ? {
          status: result.status,
          error: null,
          answerExcerpt: showBodies ? excerptOfBody(result, secrets, excerptLength) : null,
        }
      : {
          status: null,
          error: codeOf(result.cause) || errorNameOf(result.cause),
          answerExcerpt: null,
        }),
  };
}
