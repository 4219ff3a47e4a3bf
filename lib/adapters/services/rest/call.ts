import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import {
  type Auth,
  type Authorization,
  createAuthorization,
} from '../../credentials/authorization.ts';
import {
  type Asked,
  classifyExchange,
  describe,
  type Fault,
} from '../../http/classify-exchange.ts';
import { type Connection, type ConnectionOptions, openConnection } from '../../http/connection.ts';
import { forgetSecret, rememberSecret } from '../../http/known-secrets.ts';
import { type CallerOptions, createCaller, type RetryBudget } from '../../http/retry.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type NoAnswer,
  untilAborted,
  type WhyNot,
} from '../../http/send-request.ts';

interface ServiceCallOptions
  extends CallerOptions,
    Omit<ConnectionOptions, 'socketOptions' | 'showBodies'> {
  readonly auth: Auth;
  /** Statuses of answers that say that the same request may succeed later. */
  readonly laterStatuses: readonly number[];
}

interface CallRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path with the query. */
  readonly path: string;
  readonly json?: unknown;
}

/** Makes a result of a 2xx answer, or throws. `source` names the answer. */
type Understand<T> = (answer: HttpAnswer, source: string) => T;

interface ServiceCall {
  /**
   * Throws for anything but a 2xx answer that makes sense. A read is tried up to 3 times. A write is sent at most once,
   * and within 2 s or not at all: then the error says that nothing was sent, and when to ask again.
   */
  call<T>(request: CallRequest, understand: Understand<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

/** Calls to one service. Each has one deadline, from the moment on at which it has a socket, and credentials. */
export function createServiceCall(options: ServiceCallOptions): ServiceCall {
  const { origin, sockets, openSockets, auth, clock, deadlineMs, random, onExchange } = options;
  const { excerptLength, laterStatuses } = options;
  const shown = { showBodies: true, onExchange, excerptLength };
  const connection = openConnection({ origin, sockets, openSockets, clock, ...shown });
  const authorization = createAuthorization(auth, { clock, deadlineMs, openSockets, onExchange });
  const caller = createCaller({ sockets, clock, deadlineMs, random });
  const tokens = createTokenTrust(caller.budget);
  const session = { connection, authorization, tokens, clock, laterStatuses };

  return {
    async call(request, understand, callerSignal) {
      const asked = { ...request, writes: request.method !== 'GET' };
      const answer = await caller.call(asked.writes, callerSignal, (signal, whyNot) =>
        createAttempt(asked, { ...session, signal }, whyNot),
      );
      return understandAnswer(asked, understand, answer);
    },
    async close() {
      await Promise.all([connection.close(), authorization.close()]);
    },
  };
}

interface Session {
  readonly connection: Connection;
  readonly authorization: Authorization;
  readonly tokens: TokenTrust;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly laterStatuses: readonly number[];
}

interface TokenTrust {
  /** Must be called when the service has answered anything but a 401 to the token. */
  taken(token: string): void;
  /** Whether a call whose token got a 401 may be made once more, with another token. */
  mayRenew(refused: string): boolean;
}

/** The token in use and the one before it, because calls with the older one may still be under way. */
const TOKENS_REMEMBERED = 2;

/**
 * A token that was good before has expired, and is renewed. If the service never accepted the token, it was refused
 * for another reason, and the next token may be refused too. A call with that one is a retry like any other.
 * Otherwise every call would be made twice.
 */
function createTokenTrust(budget: RetryBudget): TokenTrust {
  let known: readonly string[] = [];
  return {
    taken(token) {
      if (known[0] === token) return;
      const all = [token, ...known.filter((one) => one !== token)];
      known = all.slice(0, TOKENS_REMEMBERED);
      all.slice(TOKENS_REMEMBERED).forEach(forgetSecret);
    },
    mayRenew: (refused) => known.includes(refused) || budget.spend(),
  };
}

/**
 * Tries the same call, again and again if it reads. After a 401 each call asks for another token, but only once. A
 * write that got a 401 is not sent again: the next call has the other token.
 */
function createAttempt(
  asked: CallRequest & Asked,
  session: Session,
  whyNot?: WhyNot,
): () => Promise<HttpAnswer | Fault> {
  const { connection, authorization, tokens, clock, signal } = session;
  let token: string | null = null;
  let renewed = false;

  const classify = (exchange: HttpAnswer | NoAnswer) =>
    classifyExchange(asked, exchange, {
      now: clock.now(),
      abortReason: signal.reason,
      laterStatuses: session.laterStatuses,
    });

  /** Why there is no token; `null` when there is one. */
  async function takeToken(
    askForToken: () => string | null | Promise<string | null>,
  ): Promise<NoAnswer | Fault | null> {
    try {
      // When nobody waits for a token any more, none is requested.
      signal.throwIfAborted();
      token = await untilAborted(askForToken(), signal);
      if (token !== null) rememberSecret(token);
      return null;
    } catch (error) {
      return signal.aborted
        ? { kind: 'no-answer', sent: false, cause: signal.reason }
        : faultOfToken(error);
    }
  }

  const send = () => connection.send(toHttpRequest(asked, token), signal, whyNot);

  async function run(): Promise<HttpAnswer | Fault> {
    const first = (await takeToken(() => authorization.token())) ?? (await send());
    const exchange = isRefused(first) && token !== null ? await afterRefusal(first, token) : first;
    if (exchange.kind === 'answer' && token !== null) learnFrom(exchange, token);
    return exchange.kind === 'fault' ? exchange : classify(exchange);
  }

  function learnFrom(answer: HttpAnswer, sent: string): void {
    if (!isRefused(answer)) tokens.taken(sent);
    // With a 403, too, the service may mean a token that was replaced.
    if (isRefused(answer) || answer.status === 403) authorization.forget(sent);
  }

  async function afterRefusal(
    exchange: HttpAnswer | NoAnswer | Fault,
    refused: string,
  ): Promise<HttpAnswer | NoAnswer | Fault> {
    if (asked.writes || renewed || !tokens.mayRenew(refused)) return exchange;
    renewed = true;
    const hindrance = await takeToken(() => authorization.renew(refused));
    if (hindrance !== null) return hindrance;
    // The token that was refused before would be refused again.
    return token === refused ? exchange : send();
  }

  return run;
}

function isRefused(exchange: HttpAnswer | NoAnswer | Fault): boolean {
  return exchange.kind === 'answer' && exchange.status === 401;
}

function toHttpRequest({ method, path, json }: CallRequest, token: string | null): HttpRequest {
  return {
    method,
    path,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: json === undefined ? undefined : JSON.stringify(json),
  };
}

/** Without a token nothing was sent. */
function faultOfToken(error: unknown): Fault {
  const known = error instanceof SteprollError ? error : undefined;
  const isThrottled = known?.name === ErrorName.UpstreamThrottled;
  return {
    kind: 'fault',
    error,
    repeatable: isThrottled || known?.name === ErrorName.UpstreamTransient,
    retryAfterMs: isThrottled ? (known.retryAfterSeconds ?? 0) * 1_000 : null,
    // The token endpoint asks for the pause, not the service.
    holdsEveryCall: false,
  };
}

function understandAnswer<T>(asked: Asked, understand: Understand<T>, answer: HttpAnswer): T {
  try {
    return understand(answer, describe(asked));
  } catch (cause) {
    if (!asked.writes || !(cause instanceof SteprollError)) throw cause;
    // Either the service said yes, or something else answered in its place. Only a fresh read shows which.
    throw new SteprollError(ErrorName.OutcomeUnknown, cause.message, {
      cause,
      httpStatus: answer.status,
    });
  }
}
