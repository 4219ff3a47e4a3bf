import { readFile } from 'node:fs/promises';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { textOf } from '../machine/files.ts';
import type { SecretStore } from './secret-store.ts';

/**
 * The secret in a file. It is read anew each time, so a secret that was replaced on disk is used. One newline at the
 * end and a byte order mark come from the editor and are not part of the secret.
 */
export function createFileSecret(path: string): SecretStore {
  return {
    async read() {
      const secret = (await readText(path)).replace(/\r?\n$/, '');
      if (secret === '') {
        throw new SteprollError(ErrorName.SecretUnavailable, `the secret file ${path} is empty`);
      }
      return secret;
    },
  };
}

async function readText(path: string): Promise<string> {
  try {
    return textOf(await readFile(path));
  } catch (cause) {
    const message = `the secret file ${path} cannot be read: ${errorMessageOf(cause)}`;
    throw new SteprollError(ErrorName.SecretUnavailable, message, { cause });
  }
}

/** The secret in the environment variable `variable`, which is looked up at each read. */
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
