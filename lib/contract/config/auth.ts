import * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { faultsOfEndpointUrl } from '../service/endpoint-url.ts';

/** Ids of keys in one region are UUIDs; ids of multi-region keys are not. */
const KEY_ID = '([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})';
const KEY_ARN = `arn:aws[a-z-]*:kms:[a-z0-9-]+:\\d{12}:key\\/${KEY_ID}`;
const HINT = 'the ARN of a key: arn:aws:kms:REGION:ACCOUNT:key/ID';

export const keyArnSchema = z.string().regex(new RegExp(`^${KEY_ARN}$`), `use ${HINT}`);

/** The stack creates its own key. */
export const CREATE_KEY = 'create';

/** The customer managed key for the data on AWS: `create`, or the ARN of a key in the region of the stack. */
export const kmsKeySchema = z
  .string()
  .regex(new RegExp(`^(${CREATE_KEY}|${KEY_ARN})$`), `use "${CREATE_KEY}", or ${HINT}`);

/** Where a secret is kept. The secret itself is never in a configuration. */
export type SecretSource = AwsSecret | EnvironmentSecret | FileSecret;

export interface AwsSecret {
  /** Complete ARN of a secret in AWS Secrets Manager, with the six characters at its end. */
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

/** How the caller authenticates to the service. */
export type AuthSettings =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'bearer';
      /** Contains the token. */
      readonly secret: SecretSource;
    }
  | {
      /** OAuth 2.0 client credentials, RFC 6749 section 4.4. */
      readonly kind: 'client-credentials';
      /** https, or http to this machine or to a host in `allowHttp`; without a query and a fragment. */
      readonly tokenUrl: string;
      /** @default - the token endpoint decides */
      readonly scope?: string;
      /** Contains JSON: `{"clientId": "...", "clientSecret": "..."}`. */
      readonly secret: SecretSource;
    };

const secretArn = z
  .string()
  .regex(
    /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
    'use the complete ARN of a secret: arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME-XXXXXX',
  )
  .describe('Complete ARN of a secret in AWS Secrets Manager.');

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

/** The URL is kept as it was written: to some token endpoints a slash at the end matters. */
const tokenUrl = z
  .string()
  .check(({ value, issues }) => {
    // Which hosts may be asked over plain http is said elsewhere in the configuration: `checkTokenUrl`.
    const faults = faultsOfEndpointUrl(value, { allowPlainHttp: true });
    if (faults.length === 0) return;
    issues.push({ code: 'custom', message: faults.join('; '), input: value });
  })
  .describe('URL of the token endpoint: https, or http to this machine or to a host in allowHttp.');

const kindOf = <Kind extends string>(kind: Kind) =>
  z.literal(kind).describe('Nothing, a token, or OAuth client credentials.');

export const authSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: kindOf('none') }),
  z.strictObject({ kind: kindOf('bearer'), secret: secretSourceSchema }),
  z.strictObject({
    kind: kindOf('client-credentials'),
    tokenUrl,
    /** RFC 6749 section 3.3. */
    scope: z
      .string()
      .regex(
        /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/,
        'use words with one space between them',
      )
      .describe('Words with one space between them. Default: the token endpoint decides.')
      .exactOptional(),
    secret: secretSourceSchema,
  }),
]) satisfies z.ZodType<AuthSettings>;

/**
 * Answers a token that can stand in a header as it is. Node silently trims a newline at the end of a header, so a
 * token with any such character is refused.
 *
 * @param from Name of the place that the token came from. @default - it has no name
 * @throws `InvalidCredential`, without the token.
 */
export function checkBearerToken(token: string, from?: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const place = from === undefined ? '' : `${from}: `;
  throw new SteprollError(
    ErrorName.InvalidCredential,
    `${place}the token must be visible ASCII, without white space`,
  );
}
