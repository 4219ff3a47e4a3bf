import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { asAwsError } from './aws-errors.ts';
import { AWS_TIMEOUTS } from './timeouts.ts';

/** The ARN of the user, or of the session of a role, that the SDK signs for. @throws `AwsUnavailable` */
export async function readCaller(): Promise<string> {
  // Whoever stops the line does not wait for a name.
  const client = new STSClient({ requestHandler: AWS_TIMEOUTS, maxAttempts: 1 });
  const { Arn } = await client.send(new GetCallerIdentityCommand({})).catch((error: unknown) => {
    throw asAwsError(error, 'ask whose credentials these are');
  });
  return Arn ?? '';
}
