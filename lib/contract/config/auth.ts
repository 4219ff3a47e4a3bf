import * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Stored } from '../../domain/stored.ts';
import { KEY_ARN, KEY_ARN_HINT, secretSourceSchema } from '../input/secret-source.ts';
import { calledUrlSchema } from '../service/endpoint-url.ts';

export const CREATE_KEY = 'create';

/** The customer managed key for the data on AWS: `create`, or the ARN of a key in the region of the stack. */
export const kmsKeySchema = z
  .string()
  .regex(new RegExp(`^(${CREATE_KEY}|${KEY_ARN})$`), `use "${CREATE_KEY}", or ${KEY_ARN_HINT}`);

const tokenUrl = calledUrlSchema.describe(
  'URL of the token endpoint: https, or http to this machine or to a host in allowHttp.',
);

const kindOf = <Kind extends string>(kind: Kind) =>
  z.literal(kind).describe('Nothing, a token, or OAuth client credentials.');

export const authSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: kindOf('none') }),
  z.strictObject({
    kind: kindOf('bearer'),
    /** Contains the token. */
    secret: secretSourceSchema,
  }),
  z.strictObject({
    /** OAuth 2.0 client credentials, RFC 6749 section 4.4. */
    kind: kindOf('client-credentials'),
    /** https, or http to this machine or to a host in `allowHttp`; without a query and a fragment. */
    tokenUrl,
    /** RFC 6749 section 3.3. @default - the token endpoint decides */
    scope: z
      .string()
      .regex(
        /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/,
        'use words with one space between them',
      )
      .describe('Words with one space between them. Default: the token endpoint decides.')
      .exactOptional(),
    /** Contains JSON: `{"clientId": "...", "clientSecret": "..."}`. */
    secret: secretSourceSchema,
  }),
]);
/** How the caller authenticates to the service. */
export type AuthSettings = Stored<typeof authSchema>;

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
