import * as z from 'zod';
import { parseWrittenJson } from '../../contract/input/written-json.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { classifyExchange, describe } from '../http/classify-exchange.ts';
import { type ExchangeRecord, openConnection } from '../http/connection.ts';
import { readJson } from '../http/excerpt.ts';
import { rememberSecret } from '../http/known-secrets.ts';
import type { OpenSockets } from '../http/network.ts';
import {
  createThrottleGate,
  type HttpAnswer,
  heldBack,
  withDeadline,
} from '../http/send-request.ts';
import type { SecretStore } from './secrets.ts';

/** A token without a stated lifetime is used for 5 minutes. After a 401 before that, another one is minted. */
const DEFAULT_LIFETIME_SECONDS = 300;
/** A token is given up this early, so that it does not expire on the way: 30 s, or half of a short lifetime. */
const EARLY_SECONDS = 30;

const clientSchema = z.object({ clientId: z.string().min(1), clientSecret: z.string().min(1) });

/** The errors of zod and of the JSON parser are not kept, because both quote the secret. @throws `InvalidCredential` */
export function parseClient(secret: string): z.output<typeof clientSchema> {
  try {
    const { value, mistakes } = parseWrittenJson(secret);
    if (mistakes.length === 0) return clientSchema.parse(value);
  } catch {}
  throw new SteprollError(
    ErrorName.InvalidCredential,
    'the secret for client credentials must be JSON with "clientId" and "clientSecret", each of them once',
  );
}

/** RFC 6749 section 2.3.1: id and secret are form-encoded before they are joined. */
function formEncode(value: string): string {
  return new URLSearchParams({ '': value }).toString().slice(1);
}

const tokenSchema = z.object({
  access_token: z.string().min(1),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  /** RFC 6749 asks for a number. Some services send it as text, or null. */
  expires_in: z
    .union([
      z.number().min(0),
      z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
    ])
    .nullish(),
});

/** The answer is the token, so no message quotes any of it. */
function parseToken(answer: HttpAnswer, source: string, now: number): Token {
  const result = tokenSchema.safeParse(readQuietly(answer, source));
  if (!result.success) {
    const fields = result.error.issues.map((issue) => issue.path.join('.') || 'body');
    throw new SteprollError(
      ErrorName.UpstreamProtocol,
      `${source}: not the answer of a token endpoint, see ${fields.join(', ')}`,
    );
  }
  const lifetime = result.data.expires_in ?? DEFAULT_LIFETIME_SECONDS;
  const usable = lifetime - Math.min(EARLY_SECONDS, lifetime / 2);
  return { value: result.data.access_token, usableUntil: now + usable * 1_000 };
}

function readQuietly(answer: HttpAnswer, source: string): unknown {
  try {
    return readJson(answer, source);
  } catch {
    return undefined;
  }
}

const REFUSALS: readonly ErrorName[] = [
  ErrorName.UpstreamRejected,
  ErrorName.UpstreamNotFound,
  ErrorName.UpstreamConflict,
];

/** RFC 6749 section 5.2 uses 400 for a refusal, so any 4xx is about the client. */
function refusedClient(error: unknown): unknown {
  if (!(error instanceof SteprollError) || !REFUSALS.includes(error.name)) return error;
  return new SteprollError(ErrorName.UpstreamAuth, error.message, {
    cause: error,
    ...(error.httpStatus === undefined ? {} : { httpStatus: error.httpStatus }),
  });
}

export interface Token {
  readonly value: string;
  /** Milliseconds since the Unix epoch; `Infinity` when its end is not known. */
  readonly usableUntil: number;
}

/** Keeps a token while it is usable. When many callers need one at once, it is fetched once. */
export function createTokenCache(
  fetchToken: (options: { readonly fresh: boolean }) => Promise<Token>,
  clock: Clock,
) {
  let cached: Token | null = null;
  let pending: Promise<Token> | null = null;
  let wasRefused = false;

  async function fetchOnce(fresh: boolean): Promise<string> {
    pending ??= fetchToken({ fresh }).finally(() => {
      pending = null;
    });
    cached = await pending;
    wasRefused = false;
    return cached.value;
  }

  return {
    /** The token. While it is cached, it is answered at once, because nearly every call finds it cached. */
    token(): string | Promise<string> {
      return cached !== null && clock.now() < cached.usableUntil
        ? cached.value
        : fetchOnce(wasRefused);
    },
    /** A token other than the refused one, fetched anew if necessary. */
    async renew(refused: string): Promise<string> {
      if (cached !== null && cached.value !== refused) return cached.value;
      cached = null;
      return fetchOnce(true);
    },
    /** The next token comes from no cache, if this one is the last that was fetched. */
    forget(refused: string): void {
      if (cached?.value !== refused) return;
      cached = null;
      wasRefused = true;
    },
  };
}

export interface ClientCredentials {
  readonly tokenUrl: string;
  /** @default - the token endpoint decides */
  readonly scope?: string;
  /** Contains JSON: `{"clientId": "...", "clientSecret": "..."}`. */
  readonly secret: SecretStore;
}

export interface AuthorizationTools {
  readonly clock: Clock;
  /** Milliseconds to read the secret and mint a token. */
  readonly deadlineMs: number;
  /** @default - those of the network */
  readonly openSockets?: OpenSockets | undefined;
  readonly onExchange: ((exchange: ExchangeRecord) => void) | undefined;
}

/**
 * Mints tokens by OAuth 2.0 client credentials (RFC 6749 section 4.4), each in one exchange. No OAuth library is used,
 * because redirects, the size of the answer, the deadline and the masking of secrets are then those of all other calls.
 *
 * `mint` throws the errors of reading the secret, `InvalidCredential` for a secret of another form, `UpstreamAuth` when
 * the client is refused, `UpstreamProtocol` for an answer that is not a bearer token, and what any exchange throws.
 * While the token endpoint wants no calls, it throws `UpstreamThrottled` without an exchange.
 */
export function openTokenEndpoint(
  { tokenUrl, scope, secret }: ClientCredentials,
  { clock, deadlineMs, openSockets, onExchange }: AuthorizationTools,
) {
  const { origin, pathname, search } = new URL(tokenUrl);
  const path = pathname + search;
  const gate = createThrottleGate(clock);
  const connection = openConnection({
    ...{ origin, sockets: 1, openSockets, clock },
    ...{ showBodies: false, onExchange },
  });

  async function mintOnce(fresh: boolean, signal: AbortSignal): Promise<Token> {
    const client = parseClient(await secret.read({ fresh }));
    const login = `${formEncode(client.clientId)}:${formEncode(client.clientSecret)}`;
    for (const one of [client.clientSecret, login]) rememberSecret(one);
    const headers = {
      authorization: `Basic ${btoa(login)}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope !== undefined && { scope }),
    }).toString();
    const exchange = await connection.send({ method: 'POST', path, headers, body }, signal);
    // Minting changes no endpoint, so after a lost answer another token may be requested.
    const asked = { method: 'POST', path, writes: false };
    const now = clock.now();
    const result = classifyExchange(asked, exchange, { now, abortReason: signal.reason });
    if (result.kind === 'fault') throw refusedClient(result.error);
    return parseToken(result, describe(asked), now);
  }

  async function mint({ fresh }: { readonly fresh: boolean }): Promise<Token> {
    const held = gate.remaining();
    if (held > 0) throw heldBack('the token endpoint', held);
    try {
      // Minting has its own deadline: many calls may wait for the same token, and each may give up on its own.
      return await withDeadline(clock, deadlineMs, undefined, ({ signal }) =>
        mintOnce(fresh, signal),
      );
    } catch (error) {
      if (hasName(error, ErrorName.UpstreamThrottled)) {
        gate.close((error.retryAfterSeconds ?? 0) * 1_000);
      }
      if (fresh || !hasName(error, ErrorName.UpstreamAuth)) throw error;
      // The client's secret may have been replaced since it was cached.
      return mint({ fresh: true });
    }
  }

  return { mint, close: () => connection.close() };
}

function hasName(error: unknown, name: ErrorName): error is SteprollError {
  return error instanceof SteprollError && error.name === name;
}
