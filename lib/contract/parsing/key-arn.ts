import * as z from 'zod';

/** Ids of keys in one region are UUIDs; ids of multi-region keys are not. */
const KEY_ID = '([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})';
/** A pattern of ARNs of keys. */
export const KEY_ARN = `arn:aws[a-z-]*:kms:[a-z0-9-]+:\\d{12}:key\\/${KEY_ID}`;
export const KEY_ARN_HINT = 'the ARN of a key: arn:aws:kms:REGION:ACCOUNT:key/ID';

export const keyArnSchema = z.string().regex(new RegExp(`^${KEY_ARN}$`), `use ${KEY_ARN_HINT}`);
