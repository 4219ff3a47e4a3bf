import type { SecretSource } from '../../contract/parsing/secret-source.ts';
import { openSecret, type SecretStore } from '../credentials/secrets.ts';

/** @throws `SecretUnavailable`, without the secret. */
export type ReadSecret = (source: SecretSource) => Promise<string>;

/** Reads secrets of gates. A secret of AWS is kept for some minutes by its store. */
export function createSecretReader(): ReadSecret {
  const stores = new Map<string, SecretStore>();
  return async (source) => {
    const key = JSON.stringify(source);
    const store = stores.get(key) ?? openSecret(source);
    stores.set(key, store);
    return store.read({ fresh: false });
  };
}
