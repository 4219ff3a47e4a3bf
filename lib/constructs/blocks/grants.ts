import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { AuthSettings, AwsSecret } from '../../contract/config/auth.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { LIFECYCLE_SOURCE } from '../../domain/trigger/release.ts';

// What a function may do with the table is said where the function is: flow/functions.ts for the steps,
// flow/janitor.ts for the janitor and the sweep, triggers/start-function.ts for the function start.

/**
 * Lets a function read the secret of the service's credentials, and decrypt it if the secret has its own key.
 *
 * @throws `InvalidInput` for a secret that is not in AWS Secrets Manager.
 */
export function grantSecret(lambda: IFunction, auth: AuthSettings): void {
  if (auth.kind === 'none') return;
  const { awsSecret, kmsKey } = awsSecretOf(auth);
  lambda.addToRolePolicy(
    new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [awsSecret] }),
  );
  if (kmsKey === undefined) return;
  const region = awsSecret.split(':')[3];
  lambda.addToRolePolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt'],
      resources: [kmsKey],
      conditions: {
        StringEquals: {
          'kms:ViaService': `secretsmanager.${region}.amazonaws.com`,
          'kms:EncryptionContext:SecretARN': awsSecret,
        },
      },
    }),
  );
}

function awsSecretOf({ secret }: Exclude<AuthSettings, { kind: 'none' }>): AwsSecret {
  if ('awsSecret' in secret) return secret;
  throw new SteprollError(
    ErrorName.InvalidInput,
    `auth.secret: deployed functions read secrets from AWS Secrets Manager alone; use "awsSecret", not "${Object.keys(secret)[0]}"`,
  );
}

/** Lets a function publish events of rollouts on the bus, but never announce a release there. */
export function grantPublish(lambda: IFunction, bus: EventBus): void {
  lambda.addToRolePolicy(
    new PolicyStatement({
      actions: ['events:PutEvents'],
      resources: [bus.eventBusArn],
      conditions: { StringEquals: { 'events:source': LIFECYCLE_SOURCE } },
    }),
  );
}
