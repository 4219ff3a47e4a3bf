import * as z from 'zod';
import { errorMessageOf } from '../domain/errors.ts';
import type { RolloutPolicy } from '../domain/policy.ts';
import { parseEndpointUrl } from './endpoint-url.ts';
import { parseInput } from './parse-input.ts';
import { completePolicy, partialPolicySchema, policySchema } from './policy.ts';
import { type WireMapping, wireMappingSchema } from './wire.ts';

/** `steproll.config.json`, with everything filled in that was left out. */
export interface Config {
  /** As `parseEndpointUrl` answers it. */
  readonly endpointUrl: string;
  /** @default DEFAULT_POLICY */
  readonly policy: RolloutPolicy;
  /** The service's JSON names. @default DEFAULT_WIRE */
  readonly wire: WireMapping;
}

/** @throws `InvalidInput` that lists every mistake. */
export function parseConfig(json: unknown): Config {
  const { endpointUrl, policy, wire } = parseInput(configSchema, json, 'configuration');
  return { endpointUrl, policy, wire };
}

/** The base URL of the service. */
export const endpointUrlSchema = z.string().transform((text, context) => {
  try {
    return parseEndpointUrl(text);
  } catch (error) {
    // The host alone: the rest of a URL may hold a password.
    const input = URL.parse(text)?.host ?? '(hidden)';
    context.addIssue({ code: 'custom', message: errorMessageOf(error), input });
    return z.NEVER;
  }
});

const configSchema = z.strictObject({
  $schema: z.string().optional(),
  endpointUrl: endpointUrlSchema,
  policy: partialPolicySchema
    .transform((given): unknown => completePolicy(given))
    .pipe(policySchema)
    .prefault({}),
  wire: wireMappingSchema.prefault({}),
});
