import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretStore } from '../../ports/secret-store.ts';
import { type ExchangeRecord, openConnection } from './connection.ts';
import { withDeadline } from './deadline.ts';
import { mintToken } from './mint-token.ts';
import { createTokenCache, type Token } from './token-cache.ts';

/** How the service is told who calls. */
export type Auth =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'bearer';
      /** Holds the token. */
      readonly secret: SecretStore;
    }
  | {
      /** OAuth 2.0 client credentials, RFC 6749 section 4.4. */
      readonly kind: 'client-credentials';
      readonly tokenUrl: string;
      /** @default - the token endpoint decides */
      readonly scope?: string;
      /** Holds JSON: `{"clientId": "...", "clientSecret": "..."}`. */
      readonly secret: SecretStore;
    };

/**
 * Tokens for a client's calls. Both throw `InvalidCredential` for a token that cannot stand in a
 * header, `SecretUnavailable`, and what minting throws.
 */
export interface Authorization {
  /** The token to send; `null` when none is sent. */
  token(): string | null | Promise<string | null>;
  /** Another token after `refused` got a 401, past every cache. */
  renew(refused: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface AuthorizationTools {
  readonly clock: Clock;
  /** Milliseconds for reading the secret and minting. */
  readonly deadlineMs: number;
  readonly onExchange: ((exchange: ExchangeRecord) => void) | undefined;
}

export function createAuthorization(auth: Auth, tools: AuthorizationTools): Authorization {
  switch (auth.kind) {
    case 'none':
      return {
        token: () => null,
        renew: () => Promise.resolve(null),
        close: () => Promise.resolve(),
      };
    case 'bearer':
      return cachedAuthorization(
        tools.clock,
        () => Promise.resolve(),
        async (options) => ({
          value: await auth.secret.read(options),
          usableUntil: Number.POSITIVE_INFINITY,
        }),
      );
    case 'client-credentials':
      return clientCredentials(auth, tools);
  }
}

function clientCredentials(
  auth: Extract<Auth, { kind: 'client-credentials' }>,
  { clock, deadlineMs, onExchange }: AuthorizationTools,
): Authorization {
  const url = new URL(auth.tokenUrl);
  const connection = openConnection({
    origin: url.origin,
    sockets: 1,
    clock,
    showBodies: false,
    onExchange,
  });

  function mint({ fresh }: { readonly fresh: boolean }): Promise<Token> {
    // Its own deadline: many calls may wait for the one token, and each may give up by itself.
    return withDeadline(clock, deadlineMs, undefined, async ({ signal }) => {
      const secret = await auth.secret.read({ fresh });
      const request = { path: url.pathname + url.search, scope: auth.scope, secret };
      return mintToken(connection, request, clock, signal);
    });
  }

  return cachedAuthorization(
    clock,
    () => connection.close(),
    async (options) => {
      try {
        return await mint(options);
      } catch (error) {
        const refused = error instanceof SteprollError && error.name === ErrorName.UpstreamAuth;
        if (options.fresh || !refused) {
          throw error;
        }
        // The client's secret may have been replaced since it was cached.
        return mint({ fresh: true });
      }
    },
  );
}

function cachedAuthorization(
  clock: Clock,
  close: () => Promise<void>,
  fetchToken: (options: { readonly fresh: boolean }) => Promise<Token>,
): Authorization {
  const cache = createTokenCache(async (options) => {
    const token = await fetchToken(options);
    checkToken(token.value);
    return token;
  }, clock);
  return {
    token: () => cache.token(),
    renew: (refused) => cache.renew(refused),
    close,
  };
}

/** Node trims a newline at a header's end without a word: a token that is off is refused here. */
function checkToken(token: string): void {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new SteprollError(
      ErrorName.InvalidCredential,
      'the token must be visible ASCII, without white space at either end',
    );
  }
}
