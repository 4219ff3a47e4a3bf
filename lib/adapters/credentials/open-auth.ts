import {
  type AuthSettings,
  checkBearerToken,
  type SecretSource,
} from '../../contract/config/auth.ts';
import { systemClock } from '../machine/clock.ts';
import { isReadOnce } from '../machine/files.ts';
import type { Auth } from './authorization.ts';
import { parseClient } from './mint-token.ts';
import {
  createAwsSecret,
  createEnvironmentSecret,
  createFileSecret,
  type SecretStore,
} from './secrets.ts';

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

/**
 * Reads a secret that is on this machine. Nothing is sent. A secret on AWS or in a pipe is not tried.
 *
 * @throws `SecretUnavailable`, `InvalidCredential`.
 */
export async function tryLocalSecret(settings: AuthSettings, from: string): Promise<void> {
  const auth = openAuth(settings, from);
  if (settings.kind === 'none' || auth.kind === 'none' || 'awsSecret' in settings.secret) return;
  if ('file' in settings.secret && isReadOnce(settings.secret.file)) return;
  const secret = await auth.secret.read({ fresh: false });
  if (auth.kind === 'client-credentials') parseClient(secret);
}

function openSecret(source: SecretSource): SecretStore {
  if ('awsSecret' in source) return createAwsSecret(source.awsSecret, systemClock);
  return 'environment' in source
    ? createEnvironmentSecret(source.environment)
    : createFileSecret(source.file);
}
