import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';

/** Two tries end before the call that waits for the secret, whose deadline is 10 s. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000 };
const TRIES = 2;

/** The text of a secret; `undefined` when it is binary. Throws what the SDK throws. */
export async function getSecretValue(arn: string): Promise<string | undefined> {
  const client = new SecretsManagerClient({
    region: regionOf(arn),
    requestHandler: { ...AWS_TIMEOUTS, ...TIMEOUTS },
    maxAttempts: TRIES,
  });
  try {
    const { SecretString } = await client.send(
      new GetSecretValueCommand({ SecretId: withoutAnyEnd(arn) }),
    );
    return SecretString;
  } finally {
    // Reads are minutes apart. A socket that was kept would be dead by the next one.
    client.destroy();
  }
}

/** Secrets Manager finds a secret by an ARN without the six characters at its end, too. */
function withoutAnyEnd(arn: string): string {
  return arn.replace(/-\?{6}$/, '');
}

/** `arn:aws:secretsmanager:REGION:…` */
function regionOf(arn: string): string {
  return arn.split(':')[3] ?? '';
}
