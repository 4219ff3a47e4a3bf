import type { AuthSettings, SecretSource } from '../../contract/auth.ts';
import type { Auth } from '../http/authorization.ts';
import { createAwsSecret } from '../secrets/aws-secret.ts';
import { createEnvironmentSecret } from '../secrets/environment-secret.ts';
import { createFileSecret } from '../secrets/file-secret.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { systemClock } from '../system-clock.ts';

/** The credentials that the settings name. No secret is read before the first call needs it. */
export function openAuth(settings: AuthSettings): Auth {
  return settings.kind === 'none' ? settings : { ...settings, secret: openSecret(settings.secret) };
}

function openSecret(source: SecretSource): SecretStore {
  if ('awsSecret' in source) {
    return createAwsSecret(source.awsSecret, systemClock);
  }
  return 'environment' in source
    ? createEnvironmentSecret(source.environment)
    : createFileSecret(source.file);
}
