import type { AuthSettings, SecretSource } from '../../contract/config/auth.ts';
import { systemClock } from '../machine/clock.ts';
import type { Auth } from './authorization.ts';
import { createAwsSecret } from './aws-secret.ts';
import { createEnvironmentSecret, createFileSecret } from './local-secrets.ts';
import type { SecretStore } from './secret-store.ts';

/** The credentials that the settings name. Secrets are read only when the first call needs them. */
export function openAuth(settings: AuthSettings): Auth {
  return settings.kind === 'none' ? settings : { ...settings, secret: openSecret(settings.secret) };
}

function openSecret(source: SecretSource): SecretStore {
  if ('awsSecret' in source) return createAwsSecret(source.awsSecret, systemClock);
  return 'environment' in source
    ? createEnvironmentSecret(source.environment)
    : createFileSecret(source.file);
}
