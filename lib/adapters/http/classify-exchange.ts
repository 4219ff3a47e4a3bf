import type { Instant } from '../../domain/clock.ts';
import { ErrorName, errorMessageOf, LATER_STATUSES, SteprollError } from '../../domain/errors.ts';
import { excerptOf, excerptOfBody, headerOf } from './excerpt.ts';
import { parseRetryAfter } from './retry-after.ts';
import type { HttpAnswer, NoAnswer } from './send-request.ts';

interface Named {
  readonly method: string;
  readonly path: string;
}

/** Method and path, with which every message about an exchange starts. */
export function describe({ method, path }: Named): string {
  return `${method} ${path}`;
}

/**
 * The request and the service's answer: the status, the target of a redirect, the milliseconds that it wants us to
 * wait, and the start of the body.
 */
function describeAnswer(asked: Named, answer: HttpAnswer, waitMs: number): string {
  const notes = [
    `${describe(asked)}: ${answer.status}`,
    describeRedirect(asked, answer),
    waitMs > 0 ? `(again in ${Math.ceil(waitMs / 1_000)} s)` : '',
    excerptOfBody(answer),
  ];
  return notes.filter((note) => note !== '').join(' ');
}

/** A placeholder for the service itself. A relative address does not need the service's name. */
const HERE = 'http://service.invalid';

/** The query is left out, because a login puts its tokens there. */
function describeRedirect(asked: Named, answer: HttpAnswer): string {
  const location = headerOf(answer, 'location');
  const isRedirect = answer.status >= 300 && answer.status < 400;
  const url = isRedirect && location !== undefined ? URL.parse(location, HERE + asked.path) : null;
  if (url === null) return '';
  const origin = url.origin === HERE ? '' : `${url.protocol}//${url.host}`;
  return `to ${excerptOf(origin + url.pathname)}`;
}

export interface Asked extends Named {
  /** The request changes an endpoint, so after a lost answer its outcome is unknown. */
  readonly writes: boolean;
}

export interface Fault {
  readonly kind: 'fault';
  /** A `SteprollError`, or the reason for which the caller gave up. */
  readonly error: unknown;
  /** The same request may get another answer soon. Only reads are repeated. */
  readonly repeatable: boolean;
  /** Milliseconds for which the service asked us to wait. */
  readonly retryAfterMs: number | null;
  /** The service limits its callers, so the wait holds for every call of the client and not only for this one. */
  readonly holdsEveryCall: boolean;
}

interface ExchangeContext {
  readonly now: Instant;
  /** The reason of the aborted signal, when we gave up ourselves. */
  readonly abortReason: unknown;
  /** Statuses of answers that say that the same request may succeed later. @default `LATER_STATUSES` */
  readonly laterStatuses?: readonly number[] | undefined;
}

/** The result of an exchange: a 2xx answer as it is, and for anything else the fault that it means. */
export function classifyExchange(
  asked: Asked,
  exchange: HttpAnswer | NoAnswer,
  context: ExchangeContext,
): HttpAnswer | Fault {
  if (exchange.kind === 'no-answer') return faultOfNoAnswer(asked, exchange, context);
  return exchange.status >= 200 && exchange.status < 300
    ? exchange
    : faultOfAnswer(asked, exchange, context);
}

function faultOfAnswer(asked: Asked, answer: HttpAnswer, context: ExchangeContext): Fault {
  const { status } = answer;
  const retryAfterMs = parseRetryAfter(
    headerOf(answer, 'retry-after'),
    headerOf(answer, 'date'),
    context.now,
  );
  const hasRetryAfter = retryAfterMs !== null;
  const name = nameOfStatus(status, asked.writes, hasRetryAfter, context.laterStatuses);
  const wait = name === ErrorName.UpstreamThrottled ? (retryAfterMs ?? 0) : 0;
  const error = new SteprollError(name, describeAnswer(asked, answer, wait), {
    httpStatus: status,
    ...(retryAfterMs === null ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
  });
  return {
    kind: 'fault',
    error,
    repeatable: name === ErrorName.UpstreamThrottled || name === ErrorName.UpstreamTransient,
    retryAfterMs,
    holdsEveryCall: status === 429 || status === 503,
  };
}

function faultOfNoAnswer(asked: Asked, noAnswer: NoAnswer, context: ExchangeContext): Fault {
  const { sent, cause } = noAnswer;
  const message = `${describe(asked)}: ${reasonOf(cause)}`;
  if (asked.writes && sent) {
    return terminal(new SteprollError(ErrorName.OutcomeUnknown, message, { cause }));
  }
  if (cause instanceof SteprollError) {
    const { retryAfterSeconds } = cause;
    const more = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return terminal(new SteprollError(cause.name, message, { cause, ...more }));
  }
  if (context.abortReason !== undefined && cause === context.abortReason) return terminal(cause);
  if (isTlsFailure(cause)) {
    const error = new SteprollError(ErrorName.UpstreamTls, message, { cause });
    // A certificate that is refused now is refused at once again. Whether it was refused at all is a guess here.
    return { ...terminal(error), repeatable: codeOf(cause) === NO_ANSWER_AFTER_TLS };
  }
  const error = new SteprollError(ErrorName.UpstreamTransient, message, { cause });
  return { kind: 'fault', error, repeatable: true, retryAfterMs: null, holdsEveryCall: false };
}

/** Certificates that one of the sides does not trust, and servers that do not speak TLS at all. */
export function isTlsFailure(cause: unknown): boolean {
  return TLS_FAILURE.test(codeOf(cause));
}

/** The code for a server that wants a certificate, and has only ever closed the connection once TLS stood. */
export const NO_ANSWER_AFTER_TLS = 'ERR_TLS_NO_ANSWER';

const TLS_FAILURE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|EPROTO)/;

const NAME_OF_STATUS: Readonly<Record<number, ErrorName>> = {
  401: ErrorName.UpstreamAuth,
  403: ErrorName.UpstreamAuth,
  404: ErrorName.UpstreamNotFound,
  // Only a proxy says so.
  407: ErrorName.UpstreamProxy,
  // 425 means too early: the request was refused before anything was done.
  425: ErrorName.UpstreamTransient,
  429: ErrorName.UpstreamThrottled,
};

/** The error that a status means which is no success. */
export function nameOfStatus(
  status: number,
  writes: boolean,
  hasRetryAfter = false,
  laterStatuses = LATER_STATUSES,
): ErrorName {
  if (laterStatuses.includes(status)) return ErrorName.UpstreamConflict;
  // 408 means that the server waited too long, for the rest of the request or for a server behind it.
  const isInDoubt = status >= 500 || status === 408;
  if (!isInDoubt) {
    return status < 400
      ? ErrorName.UpstreamRedirect
      : (NAME_OF_STATUS[status] ?? ErrorName.UpstreamRejected);
  }
  if (writes) {
    // A gateway's 5xx does not say what the service behind it did.
    return ErrorName.OutcomeUnknown;
  }
  return status === 503 && hasRetryAfter
    ? ErrorName.UpstreamThrottled
    : ErrorName.UpstreamTransient;
}

/** A fault that the same request would have again. */
export function terminal(error: unknown): Fault {
  return { kind: 'fault', error, repeatable: false, retryAfterMs: null, holdsEveryCall: false };
}

/** OpenSSL writes `error:CODE:library:function:reason:file:line`. */
const OPENSSL_REASON = /\berror:[\da-f]+:[^:]*:[^:]*:([^:]+)/i;

function reasonOf(cause: unknown): string {
  const message = errorMessageOf(cause);
  if (isTlsFailure(cause)) {
    return `TLS failed: ${excerptOf(OPENSSL_REASON.exec(message)?.[1] ?? message)}`;
  }
  // An error for several addresses at once has a code but no message.
  return excerptOf(message) || codeOf(cause);
}

/** The stable name that Node and undici give to an error below HTTP. */
export function codeOf(cause: unknown): string {
  const isCoded = typeof cause === 'object' && cause !== null && 'code' in cause;
  return isCoded && typeof cause.code === 'string' ? cause.code : '';
}
