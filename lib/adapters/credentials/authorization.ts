import { type AuthSettings, checkBearerToken } from '../../contract/config/auth.ts';
import { isReadOnce } from '../machine/files.ts';
import {
  type AuthorizationTools,
  type ClientCredentials,
  createTokenCache,
  openTokenEndpoint,
  parseClient,
} from './mint-token.ts';
import { openSecret, type SecretStore } from './secrets.ts';

/**
 * The credentials that the settings name. Secrets are read only when the first call needs them.
 *
 * @param from Name of the place that the settings came from. A token that cannot be sent is refused under it.
 *   @default - it has no name
 */
export function openAuth(settings: AuthSettings, from?: string): Auth {
  if (settings.kind === 'none') return settings;
  const secret = openSecret(settings.secret);
  if (settings.kind !== 'bearer' || from === undefined) return { ...settings, secret };
  return {
    kind: 'bearer',
    secret: { read: async (options) => checkBearerToken(await secret.read(options), from) },
  };
}

/** Reads a secret of this machine, neither of AWS nor in a pipe. @throws `SecretUnavailable`, `InvalidCredential`. */
export async function tryLocalSecret(settings: AuthSettings, from: string): Promise<void> {
  const auth = openAuth(settings, from);
  if (settings.kind === 'none' || auth.kind === 'none' || 'awsSecret' in settings.secret) return;
  if ('file' in settings.secret && isReadOnce(settings.secret.file)) return;
  const secret = await auth.secret.read({ fresh: false });
  if (auth.kind === 'client-credentials') parseClient(secret);
}

/** How the caller authenticates to the service. */
export type Auth =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'bearer';
      /** Contains the token. */
      readonly secret: SecretStore;
    }
  /** OAuth 2.0 client credentials, RFC 6749 section 4.4. */
  | ({ readonly kind: 'client-credentials' } & ClientCredentials);

/**
 * Tokens for a client's calls. Both methods throw `InvalidCredential` for a token that cannot stand in a header,
 * `SecretUnavailable`, and the errors of minting.
 */
export interface Authorization {
  /** The token to send; `null` when none is sent. */
  token(): string | null | Promise<string | null>;
  /** Another token after `refused` got a 401. It does not come from any cache. */
  renew(refused: string): Promise<string | null>;
  /** A call has ended with a 401 or a 403: the next `token()` does not come from any cache. */
  forget(refused: string): void;
  close(): Promise<void>;
}

export function createAuthorization(auth: Auth, tools: AuthorizationTools): Authorization {
  if (auth.kind === 'none') {
    return {
      token: () => null,
      renew: () => Promise.resolve(null),
      forget: () => undefined,
      close: () => Promise.resolve(),
    };
  }
  const { mint, close } =
    auth.kind === 'bearer' ? readsBearer(auth.secret) : openTokenEndpoint(auth, tools);
  const cache = createTokenCache(async (options) => {
    const token = await mint(options);
    checkBearerToken(token.value);
    return token;
  }, tools.clock);
  return { ...cache, close };
}

function readsBearer(secret: SecretStore): ReturnType<typeof openTokenEndpoint> {
  return {
    mint: async (options) => ({
      value: await secret.read(options),
      usableUntil: Number.POSITIVE_INFINITY,
    }),
    close: () => Promise.resolve(),
  };
}
