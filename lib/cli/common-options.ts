import * as z from 'zod';
import { readEnvironment } from '../adapters/environment.ts';
import { endpointUrlSchema } from '../contract/config.ts';
import { parseInput } from '../contract/parse-input.ts';
import { versionSchema } from '../contract/rollout-input.ts';

export const OUTPUTS = ['table', 'json', 'id'] as const;
export type Output = (typeof OUTPUTS)[number];

const endpointUrl = z
  .string({ error: 'use the base URL of the service, here or in STEPROLL_ENDPOINT_URL' })
  .pipe(endpointUrlSchema);

/** Options of every command that talks to a service, by the names that people type. */
export const commonOptions = {
  '--endpoint-url': endpointUrl,
  '--output': z.enum(OUTPUTS),
  '--debug': z.boolean().default(false),
};

/** A whole number of at least 1, as text. */
export const wholeNumber = z
  .string({ error: 'use a whole number of at least 1' })
  .regex(/^\d{1,16}$/, 'use a whole number of at least 1')
  .transform(Number)
  .pipe(versionSchema);

/**
 * Checks arguments and options. What was not given is taken from the environment.
 *
 * @throws `InvalidInput` that lists every mistake.
 */
export function parseOptions<T>(schema: z.ZodType<T>, given: Readonly<Record<string, unknown>>): T {
  const { endpointUrl } = readEnvironment();
  return parseInput(schema, { '--endpoint-url': endpointUrl, ...given }, 'arguments');
}
