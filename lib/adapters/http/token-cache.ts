import type { Clock } from '../../ports/clock.ts';

export interface Token {
  readonly value: string;
  /** Milliseconds since the Unix epoch; `Infinity` when nothing is known of its end. */
  readonly usableUntil: number;
}

export interface TokenCache {
  /** At once while it is cached: nearly every call finds it so. */
  token(): string | Promise<string>;
  /** A token other than the one that was refused, or a newly fetched one. */
  renew(refused: string): Promise<string>;
}

/** Keeps a token while it is usable. However many callers need one, it is fetched once. */
export function createTokenCache(
  fetchToken: (options: { readonly fresh: boolean }) => Promise<Token>,
  clock: Clock,
): TokenCache {
  let cached: Token | null = null;
  let pending: Promise<Token> | null = null;

  async function fetchOnce(fresh: boolean): Promise<string> {
    pending ??= fetchToken({ fresh }).finally(() => {
      pending = null;
    });
    cached = await pending;
    return cached.value;
  }

  return {
    token() {
      return cached !== null && clock.now() < cached.usableUntil ? cached.value : fetchOnce(false);
    },
    async renew(refused) {
      if (cached !== null && cached.value !== refused) {
        return cached.value;
      }
      cached = null;
      return fetchOnce(true);
    },
  };
}
