import * as z from 'zod';

/** Where a secret is kept. The secret itself is never in a configuration. */
export type SecretSource = AwsSecret | EnvironmentSecret | FileSecret;

export interface AwsSecret {
  /** Complete ARN of a secret in AWS Secrets Manager, with its last six characters, or with `??????` for them. */
  readonly awsSecret: string;
  /** ARN of the customer managed key that encrypts the secret. @default - the key of Secrets Manager itself */
  readonly kmsKey?: string;
}

export interface EnvironmentSecret {
  /** Name of an environment variable. */
  readonly environment: string;
}

export interface FileSecret {
  /** Path of a file, seen from the folder of the configuration; `~` is the home folder. */
  readonly file: string;
}

/** Ids of keys in one region are UUIDs; ids of multi-region keys are not. */
const KEY_ID = '([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})';
export const KEY_ARN = `arn:aws[a-z-]*:kms:[a-z0-9-]+:\\d{12}:key\\/${KEY_ID}`;
export const KEY_ARN_HINT = 'the ARN of a key: arn:aws:kms:REGION:ACCOUNT:key/ID';

const keyArnSchema = z.string().regex(new RegExp(`^${KEY_ARN}$`), `use ${KEY_ARN_HINT}`);

const secretArn = z
  .string()
  .regex(
    /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-([A-Za-z0-9]{6}|\?{6})$/,
    'use the complete ARN of a secret: arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME-XXXXXX, or -?????? at its end',
  )
  .describe(
    'Complete ARN of a secret in AWS Secrets Manager; -?????? at its end stands for any six characters.',
  );

// This is one object and not a union of three, so that a mistake is reported where it was made.
export const secretSourceSchema = z
  .strictObject({
    awsSecret: secretArn.exactOptional(),
    kmsKey: keyArnSchema
      .describe('ARN of the key that encrypts the secret, if it is your own key.')
      .exactOptional(),
    environment: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'use the name of an environment variable')
      .describe('Instead of awsSecret, not on AWS: name of an environment variable.')
      .exactOptional(),
    file: z
      .string()
      .min(1)
      .describe(
        'Instead of awsSecret, not on AWS: path of a file, seen from the folder of the configuration.',
      )
      .exactOptional(),
  })
  .refine(
    ({ awsSecret, environment, file }) =>
      [awsSecret, environment, file].filter((source) => source !== undefined).length === 1,
    'use one of "awsSecret", "environment", "file"',
  )
  .refine(({ awsSecret, kmsKey }) => kmsKey === undefined || awsSecret !== undefined, {
    path: ['kmsKey'],
    message: 'use it with "awsSecret" alone',
  })
  .transform((source) => source as SecretSource)
  .describe('Where the secret is kept.');
