import * as z from 'zod';
import { type AuthSettings, authSchema } from './auth.ts';
import { endpointUrlSchema } from './endpoint-url.ts';
import { parseInput } from './parse-input.ts';
import { checkPolicies, type Policies, policiesShape } from './policies.ts';
import { fillRegion, regionSchema } from './region.ts';
import { checkTriggers, type Triggers, triggersSchema } from './triggers.ts';
import { type WireMapping, wireMappingSchema } from './wire.ts';

/** `steproll.config.json`, checked. */
export interface Config extends Policies {
  /** As `parseEndpointUrl` answers it, with the region in it. */
  readonly endpointUrl: string;
  /** @default none */
  readonly auth: AuthSettings;
  /** The service's JSON names. @default DEFAULT_WIRE */
  readonly wire: WireMapping;
  /** @default DEFAULT_TRIGGERS */
  readonly triggers?: Triggers;
}

/** @throws `InvalidInput` that lists every mistake. */
export function parseConfig(json: unknown): Config {
  const { endpointUrl, auth, policy, runtimes, wire, triggers } = parseInput(
    configSchema,
    withRegion(json),
    'configuration',
  );
  return {
    endpointUrl,
    auth: auth ?? { kind: 'none' },
    policy,
    runtimes,
    wire,
    ...(triggers && { triggers }),
  };
}

const fields = {
  $schema: z.string().optional().describe('Where editors find the schema of this file.'),
  region: regionSchema.optional().describe('Stands for {region} in the endpoint URL.'),
  auth: authSchema.optional().describe('How the service is told who calls.'),
  wire: wireMappingSchema.prefault({}).describe("The service's JSON names."),
  ...policiesShape,
  triggers: triggersSchema
    .optional()
    .describe("What starts rollouts by itself. Default: steproll's own release events."),
};

const configSchema = z
  .strictObject({ ...fields, endpointUrl: endpointUrlSchema })
  .check(checkPolicies, checkTriggers);

/** The same file where other sources may say more: the command line. */
export interface OpenConfig extends Policies {
  /** As it was written. */
  readonly endpointUrl?: string | undefined;
  readonly region?: string | undefined;
  readonly auth?: AuthSettings | undefined;
  readonly wire: WireMapping;
}

/** Checks all but the endpoint URL, which other sources may override. */
export const openConfigSchema = z
  .strictObject({
    ...fields,
    endpointUrl: z.string().optional().describe('Base URL of the service: https://host/prefix.'),
  })
  .check(checkPolicies, checkTriggers) satisfies z.ZodType<OpenConfig>;

function withRegion(json: unknown): unknown {
  const isUrlInObject = typeof json === 'object' && json !== null && 'endpointUrl' in json;
  if (!isUrlInObject || typeof json.endpointUrl !== 'string') return json;
  const region = 'region' in json ? json.region : undefined;
  return { ...json, endpointUrl: fillRegion(json.endpointUrl, region) };
}
