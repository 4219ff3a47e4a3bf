/** Where a credential comes from. */
export interface SecretStore {
  /**
   * The secret as text. `fresh` bypasses every cache, because the secret that was read before was refused. Throws
   * `SecretUnavailable` when it cannot be read; the message never contains the secret.
   */
  read(options: { readonly fresh: boolean }): Promise<string>;
}
