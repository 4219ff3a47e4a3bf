import * as z from 'zod';

/** A profile, as it stands in the profiles file. */
export interface Profile {
  readonly endpoint_url?: string | undefined;
  readonly region?: string | undefined;
  readonly output?: string | undefined;
  readonly engine?: string | undefined;
  readonly stack?: string | undefined;
  /** Path of a steproll.config.json. */
  readonly config?: string | undefined;
  /** Path of a file that holds a bearer token. */
  readonly token_file?: string | undefined;
}

const text = z.string().min(1).optional();

/** Checks the keys. What is in them is checked where it is used, because options may override it. */
export const profileSchema: z.ZodType<Profile> = z.strictObject({
  endpoint_url: text,
  region: text,
  output: text,
  engine: text,
  stack: text,
  config: text,
  token_file: text,
});
