import * as z from 'zod';

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
