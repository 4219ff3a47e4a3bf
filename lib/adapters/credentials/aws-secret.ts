import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretStore } from './secret-store.ts';

/** As long as AWS's own Lambda extension keeps a secret. */
const KEPT_MS = 300_000;

/**
 * The secret in AWS Secrets Manager under a complete ARN, in the ARN's own region. Kept for 5 minutes;
 * however many callers want it, it is read once.
 */
export function createAwsSecret(arn: string, clock: Pick<Clock, 'now'>): SecretStore {
  let kept: { readonly secret: string; readonly until: number } | null = null;
  let reading: Promise<string> | null = null;

  async function load(): Promise<string> {
    const secret = await readSecret(arn);
    kept = { secret, until: clock.now() + KEPT_MS };
    return secret;
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

async function readSecret(arn: string): Promise<string> {
  // Who has no secret there does not pay for loading the SDK.
  const { getSecretValue } = await import('./get-secret-value.ts');
  const secret = await getSecretValue(arn).catch((error: unknown) => {
    throw unreadable(arn, error);
  });
  if (typeof secret !== 'string') throw unavailable(arn, 'is binary; store it as text');
  if (secret === '') throw unavailable(arn, 'is empty');
  return secret;
}

function unreadable(arn: string, error: unknown): SteprollError {
  // An answer that is not understood may be the secret, and its error may quote it.
  return isOfAnswer(error)
    ? unavailable(arn, 'cannot be read: the answer is not one of Secrets Manager')
    : unavailable(arn, `cannot be read: ${errorNameOf(error)}: ${errorMessageOf(error)}`, error);
}

/** The SDK marks what came of an answer with `$response`, and what the service itself refused with `$fault`. */
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

/** Without the six characters that Secrets Manager puts at its end. */
function nameOf(arn: string): string {
  return arn.slice(arn.indexOf(':secret:') + ':secret:'.length, -'-XXXXXX'.length);
}
