import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { SecretStore } from './secret-store.ts';

/** The secret in the environment variable `variable`, looked up at each read. */
export function createEnvironmentSecret(
  variable: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): SecretStore {
  return {
    async read() {
      const secret = environment[variable];
      if (secret === undefined || secret === '') {
        throw new SteprollError(
          ErrorName.SecretUnavailable,
          `the environment variable ${variable} is not set`,
        );
      }
      return secret;
    },
  };
}
