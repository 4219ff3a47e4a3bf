import * as z from 'zod';
import { type Config, endpointUrlSchema } from './config.ts';
import { parseInput } from './parse-input.ts';
import { policySchema } from './policy.ts';
import { wireMappingSchema } from './wire.ts';

/** The environment variables of the functions: written by the deployment, read at their start. */
const Variable = {
  endpointUrl: 'ENDPOINT_URL',
  wire: 'WIRE',
  tableName: 'TABLE_NAME',
  policy: 'POLICY',
} as const;

/** What a function knows that calls the service. */
export type ServiceSettings = Pick<Config, 'endpointUrl' | 'wire'>;

/** What a function knows that takes part in a rollout. */
export interface StepSettings extends Config {
  /** Of the ledger. */
  readonly tableName: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function writeServiceEnv({ endpointUrl, wire }: ServiceSettings): Record<string, string> {
  return { [Variable.endpointUrl]: endpointUrl, [Variable.wire]: JSON.stringify(wire) };
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
  const read = parseInput(serviceEnvSchema, environment, 'environment');
  return { endpointUrl: read[Variable.endpointUrl], wire: read[Variable.wire] };
}

/** @throws `InvalidInput` that lists every mistake. */
export function readStepEnv(environment: Environment): StepSettings {
  const read = parseInput(stepEnvSchema, environment, 'environment');
  return {
    endpointUrl: read[Variable.endpointUrl],
    wire: read[Variable.wire],
    tableName: read[Variable.tableName],
    policy: read[Variable.policy],
  };
}

const serviceEnvSchema = z.object({
  [Variable.endpointUrl]: endpointUrlSchema,
  [Variable.wire]: jsonOf(wireMappingSchema),
});

const stepEnvSchema = serviceEnvSchema.extend({
  [Variable.tableName]: z.string().min(1),
  [Variable.policy]: jsonOf(policySchema),
});

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
