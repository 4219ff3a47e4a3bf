import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ExchangeRecord, type OpenSockets, openConnection } from '../http/connection.ts';
import { withDeadline } from '../http/deadline.ts';
import { createThrottleGate, heldBack } from '../http/throttle-gate.ts';
import { mintToken, type Token } from './mint-token.ts';
import type { SecretStore } from './secret-store.ts';

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

interface TokenEndpoint {
  /**
   * Mints a token. Throws the errors of reading the secret and of minting. While the token endpoint wants no calls,
   * it throws `UpstreamThrottled` without an exchange.
   */
  mint(options: { readonly fresh: boolean }): Promise<Token>;
  close(): Promise<void>;
}

export function openTokenEndpoint(
  { tokenUrl, scope, secret }: ClientCredentials,
  { clock, deadlineMs, openSockets, onExchange }: AuthorizationTools,
): TokenEndpoint {
  const url = new URL(tokenUrl);
  const path = url.pathname + url.search;
  const gate = createThrottleGate(clock);
  const connection = openConnection({
    origin: url.origin,
    sockets: 1,
    openSockets,
    clock,
    showBodies: false,
    onExchange,
  });

  function mintOnce(fresh: boolean): Promise<Token> {
    // Minting has its own deadline: many calls may wait for the same token, and each may give up on its own.
    return withDeadline(clock, deadlineMs, undefined, async ({ signal }) => {
      const request = { path, scope, secret: await secret.read({ fresh }) };
      return mintToken(connection, request, clock, signal);
    });
  }

  async function mint({ fresh }: { readonly fresh: boolean }): Promise<Token> {
    const held = gate.remaining();
    if (held > 0) throw heldBack('the token endpoint', held);
    try {
      return await mintOnce(fresh);
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
