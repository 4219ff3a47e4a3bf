import * as z from 'zod';
import type { RolloutPolicy } from '../domain/policy.ts';
import { type AuthSettings, authSchema } from './auth.ts';
import { endpointUrlSchema } from './endpoint-url.ts';
import { parseInput } from './parse-input.ts';
import { completePolicy, type PartialPolicy, partialPolicySchema, policySchema } from './policy.ts';
import { fillRegion, regionSchema } from './region.ts';
import { type WireMapping, wireMappingSchema } from './wire.ts';

/** `steproll.config.json`, with everything filled in that was left out. */
export interface Config {
  /** As `parseEndpointUrl` answers it, with the region in it. */
  readonly endpointUrl: string;
  /** @default none */
  readonly auth: AuthSettings;
  /** @default DEFAULT_POLICY */
  readonly policy: RolloutPolicy;
  /** The service's JSON names. @default DEFAULT_WIRE */
  readonly wire: WireMapping;
}

/** @throws `InvalidInput` that lists every mistake. */
export function parseConfig(json: unknown): Config {
  const { endpointUrl, auth, policy, wire } = parseInput(
    configSchema,
    withRegion(json),
    'configuration',
  );
  return { endpointUrl, auth: auth ?? { kind: 'none' }, policy, wire };
}

const fields = {
  $schema: z.string().optional(),
  region: regionSchema.optional(),
  auth: authSchema.optional(),
  wire: wireMappingSchema.prefault({}),
};

const configSchema = z.strictObject({
  ...fields,
  endpointUrl: endpointUrlSchema,
  policy: partialPolicySchema
    .transform((given): unknown => completePolicy(given))
    .pipe(policySchema)
    .prefault({}),
});

/** The same file where other sources may say more: the command line. */
export interface OpenConfig {
  /** As it was written. */
  readonly endpointUrl?: string | undefined;
  readonly region?: string | undefined;
  readonly auth?: AuthSettings | undefined;
  readonly policy: PartialPolicy;
  readonly wire: WireMapping;
}

/** Checks all but the endpoint URL, which other sources may override. */
export const openConfigSchema: z.ZodType<OpenConfig> = z.strictObject({
  ...fields,
  endpointUrl: z.string().optional(),
  policy: partialPolicySchema.prefault({}),
});

function withRegion(json: unknown): unknown {
  const isUrlInObject = typeof json === 'object' && json !== null && 'endpointUrl' in json;
  if (!isUrlInObject || typeof json.endpointUrl !== 'string') return json;
  const region = 'region' in json ? json.region : undefined;
  return { ...json, endpointUrl: fillRegion(json.endpointUrl, region) };
}
