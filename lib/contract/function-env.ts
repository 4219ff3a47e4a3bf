import * as z from 'zod';
import { authSchema } from './auth.ts';
import type { Config } from './config.ts';
import { endpointUrlSchema } from './endpoint-url.ts';
import { parseInput } from './parse-input.ts';
import { policySchema } from './policy.ts';
import { wireMappingSchema } from './wire.ts';

/** The environment variables of the functions: written by the deployment, read at their start. */
const Variable = {
  endpointUrl: 'ENDPOINT_URL',
  auth: 'AUTH',
  wire: 'WIRE',
  tableName: 'TABLE_NAME',
  policy: 'POLICY',
} as const;

/** What a function knows that calls the service. */
export type ServiceSettings = Pick<Config, 'endpointUrl' | 'auth' | 'wire'>;

/** What a function knows that takes part in a rollout. */
export interface StepSettings extends Config {
  /** Of the ledger. */
  readonly tableName: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Of the credentials only where they are kept. */
export function writeServiceEnv(settings: ServiceSettings): Record<string, string> {
  return {
    [Variable.endpointUrl]: settings.endpointUrl,
    [Variable.auth]: JSON.stringify(settings.auth),
    [Variable.wire]: JSON.stringify(settings.wire),
  };
}

export function writeStepEnv(settings: StepSettings): Record<string, string> {
  return {
    ...writeServiceEnv(settings),
    [Variable.tableName]: settings.tableName,
    [Variable.policy]: JSON.stringify(settings.policy),
  };
}

/** @throws `InvalidInput` that lists every mistake. */
export function readServiceEnv(environment: Environment): ServiceSettings {
  return serviceSettings(parseInput(serviceEnvSchema, environment, 'environment'));
}

/** @throws `InvalidInput` that lists every mistake. */
export function readStepEnv(environment: Environment): StepSettings {
  const read = parseInput(stepEnvSchema, environment, 'environment');
  return {
    ...serviceSettings(read),
    tableName: read[Variable.tableName],
    policy: read[Variable.policy],
  };
}

const serviceEnvSchema = z.object({
  [Variable.endpointUrl]: endpointUrlSchema,
  [Variable.auth]: jsonOf(authSchema),
  [Variable.wire]: jsonOf(wireMappingSchema),
});

const stepEnvSchema = serviceEnvSchema.extend({
  [Variable.tableName]: z.string().min(1),
  [Variable.policy]: jsonOf(policySchema),
});

function serviceSettings(read: z.output<typeof serviceEnvSchema>): ServiceSettings {
  return {
    endpointUrl: read[Variable.endpointUrl],
    auth: read[Variable.auth],
    wire: read[Variable.wire],
  };
}

function jsonOf<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'use JSON', input: text });
        return z.NEVER;
      }
    })
    .pipe(schema);
}
