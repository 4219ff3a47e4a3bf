/** Where a credential comes from. */
export interface SecretStore {
  /**
   * The secret as text. `fresh` bypasses every cache: what was read before was refused.
   * Throws `SecretUnavailable` when it cannot be read; the message never holds the secret.
   */
  read(options: { readonly fresh: boolean }): Promise<string>;
}
