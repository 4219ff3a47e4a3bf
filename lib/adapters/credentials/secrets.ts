import { readFile } from 'node:fs/promises';
import type { SecretSource } from '../../contract/input/secret-source.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { entryOf } from '../../domain/keyed.ts';
import type { Clock } from '../../ports/clock.ts';
import { adviceOnRetired, asMissingPermission, isThrottled } from '../aws/aws-errors.ts';
import { rememberSecret } from '../http/known-secrets.ts';
import { systemClock } from '../machine/clock.ts';
import { textOf } from '../machine/files.ts';

/** Where a credential comes from. */
export interface SecretStore {
  /**
   * The secret as text. `fresh` bypasses every cache, because the secret that was read before was refused. Throws
   * `SecretUnavailable` or `PermissionMissing` when it cannot be read; the message never contains the secret.
   */
  read(options: { readonly fresh: boolean }): Promise<string>;
}

/** The secret that the settings name. It is read only when somebody needs it, and hidden from then on. */
export function openSecret(source: SecretSource): SecretStore {
  const store = openStore(source);
  return {
    async read(options) {
      const secret = await store.read(options);
      rememberSecret(secret);
      return secret;
    },
  };
}

/** The same for what is never sent, so that nobody can repeat it. */
export function openStore(source: SecretSource): SecretStore {
  if ('awsSecret' in source) return createAwsSecret(source.awsSecret, systemClock);
  return 'environment' in source
    ? createEnvironmentSecret(source.environment)
    : createFileSecret(source.file);
}

/** Reads secrets of gates and webhooks. One of AWS is kept for some minutes by its store. */
export function createSecretReader(): (source: SecretSource) => Promise<string> {
  const stores = new Map<string, SecretStore>();
  return async (source) => {
    const key = JSON.stringify(source);
    const store = stores.get(key) ?? openSecret(source);
    stores.set(key, store);
    return store.read({ fresh: false });
  };
}

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
      const secret = entryOf(environment, variable);
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

/** AWS's own Lambda extension keeps a secret for the same time. */
const KEPT_MS = 300_000;

/**
 * The secret in AWS Secrets Manager under a complete ARN, in the ARN's own region. It is kept for 5 minutes. When
 * many callers want it at once, it is read once. While Secrets Manager fails or throttles us, the last one is used:
 * whoever takes it knows whether it is still good.
 */
export function createAwsSecret(arn: string, clock: Pick<Clock, 'now'>): SecretStore {
  let kept: { readonly secret: string; readonly until: number } | null = null;
  let reading: Promise<string> | null = null;

  async function load(): Promise<string> {
    const read = await readSecret(arn, kept?.secret);
    // Whoever comes after a failure asks again.
    if (!read.isLast) kept = { secret: read.secret, until: clock.now() + KEPT_MS };
    return read.secret;
  }

  return {
    async read({ fresh }) {
      if (!fresh && kept !== null && clock.now() < kept.until) return kept.secret;
      reading ??= load().finally(() => {
        reading = null;
      });
      return reading;
    },
  };
}

/** @param last What is used while Secrets Manager fails. @default - it throws then */
async function readSecret(arn: string, last?: string) {
  // Without a secret there, the SDK need not be loaded.
  const { getSecretValue } = await import('./get-secret-value.ts');
  let secret: string | undefined;
  try {
    secret = await getSecretValue(arn);
  } catch (error) {
    if (last !== undefined && !isClearNo(error)) return { secret: last, isLast: true };
    throw unreadable(arn, error);
  }
  if (typeof secret !== 'string') throw unavailable(arn, 'is binary; store it as text');
  if (secret === '') throw unavailable(arn, 'is empty');
  return { secret, isLast: false };
}

function unreadable(arn: string, error: unknown): SteprollError {
  // An answer that cannot be parsed may be the secret, and the error may quote it.
  if (isOfAnswer(error)) {
    return unavailable(arn, 'cannot be read: the answer is not one of Secrets Manager');
  }
  const fault = `cannot be read: ${errorNameOf(error)}: ${errorMessageOf(error)}`;
  const advice = adviceOnRetired('the secret');
  const said = `the secret ${nameOf(arn)} ${fault}\n${advice}`;
  return asMissingPermission(error, said) ?? unavailable(arn, fault, error);
}

/** Secrets Manager has refused the secret itself, and not only this call. */
function isClearNo(error: unknown): boolean {
  const { $metadata } = Object(error) as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  return status >= 400 && status < 500 && !isThrottled(error);
}

/** The SDK marks errors that came from an answer with `$response`, and refusals of the service with `$fault`. */
function isOfAnswer(error: unknown): boolean {
  const marked: object = Object(error);
  return '$response' in marked && !('$fault' in marked);
}

function unavailable(arn: string, fault: string, cause?: unknown): SteprollError {
  const message = `the secret ${nameOf(arn)} ${fault}`;
  return new SteprollError(
    ErrorName.SecretUnavailable,
    message,
    cause === undefined ? {} : { cause },
  );
}

/** The name without the six characters that Secrets Manager adds at its end. */
function nameOf(arn: string): string {
  return arn.slice(arn.indexOf(':secret:') + ':secret:'.length, -'-XXXXXX'.length);
}
