import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { asAwsError } from './aws-errors.ts';
import { AWS_TIMEOUTS } from './timeouts.ts';

/** The user, or the session of a role, that the SDK signs for. */
export interface AwsCaller {
  readonly arn: string;
  /** What policies know as `aws:userid`. A name in it is as proven as those that may choose it: see docs/security.md. */
  readonly userId: string;
}

/** @throws `AwsUnavailable` */
export async function readCaller(): Promise<AwsCaller> {
  // Whoever stops the line does not wait for a name.
  const client = new STSClient({ requestHandler: AWS_TIMEOUTS, maxAttempts: 1 });
  const { Arn = '', UserId = '' } = await client
    .send(new GetCallerIdentityCommand({}))
    .catch((error: unknown) => {
      throw asAwsError(error, 'ask whose credentials these are');
    });
  return { arn: Arn, userId: UserId };
}
