import * as z from 'zod';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { authSchema } from './auth.ts';
import type { Config } from './config.ts';
import { endpointUrlSchema } from './endpoint-url.ts';
import { parseInput } from './parse-input.ts';
import { checkPolicies, policiesShape } from './policies.ts';
import { wireMappingSchema } from './wire.ts';

/** The environment variables of the functions: written by the deployment, read at their start. */
const Variable = {
  endpointUrl: 'ENDPOINT_URL',
  auth: 'AUTH',
  wire: 'WIRE',
  tableName: 'TABLE_NAME',
  eventBusName: 'EVENT_BUS_NAME',
  policies: 'POLICIES',
  stateMachineArn: 'STATE_MACHINE_ARN',
} as const;

/** What a function knows that calls the service. */
export type ServiceSettings = Pick<Config, 'endpointUrl' | 'auth' | 'wire'>;

/** What a function knows that takes part in a rollout. */
export interface StepSettings extends Config {
  /** Of the ledger. */
  readonly tableName: string;
  /** Of the bus where rollouts are told of. */
  readonly eventBusName: string;
}

/** What a function knows that closes what executions left open. */
export interface JanitorSettings {
  /** Of the ledger. */
  readonly tableName: string;
  /** Of the bus where rollouts are told of. */
  readonly eventBusName: string;
  readonly stateMachineArn: string;
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

/** @throws `InvalidInput` for policies that do not fit in. */
export function writeStepEnv(settings: StepSettings): Record<string, string> {
  const { policy, runtimes } = settings;
  const policies = JSON.stringify({ policy, runtimes });
  const environment = {
    ...writeServiceEnv(settings),
    [Variable.tableName]: settings.tableName,
    [Variable.eventBusName]: settings.eventBusName,
    [Variable.policies]: policies,
  };
  const bytes = new TextEncoder().encode(JSON.stringify(environment)).length;
  if (bytes > MAX_BYTES) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `policy, runtimes: with the other settings they are ${bytes} bytes, and a function's environment holds ${MAX_BYTES}`,
    );
  }
  return environment;
}

export function writeJanitorEnv(settings: JanitorSettings): Record<string, string> {
  return {
    [Variable.tableName]: settings.tableName,
    [Variable.eventBusName]: settings.eventBusName,
    [Variable.stateMachineArn]: settings.stateMachineArn,
  };
}

/** Lambda takes 4 KB; some of that is left for names that the deployment only knows later. */
const MAX_BYTES = 3_800;

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
    eventBusName: read[Variable.eventBusName],
    ...read[Variable.policies],
  };
}

/** @throws `InvalidInput` that lists every mistake. */
export function readJanitorEnv(environment: Environment): JanitorSettings {
  const read = parseInput(janitorEnvSchema, environment, 'environment');
  return {
    tableName: read[Variable.tableName],
    eventBusName: read[Variable.eventBusName],
    stateMachineArn: read[Variable.stateMachineArn],
  };
}

const serviceEnvSchema = z.object({
  [Variable.endpointUrl]: endpointUrlSchema,
  [Variable.auth]: jsonOf(authSchema),
  [Variable.wire]: jsonOf(wireMappingSchema),
});

const stepEnvSchema = serviceEnvSchema.extend({
  [Variable.tableName]: z.string().min(1),
  [Variable.eventBusName]: z.string().min(1),
  [Variable.policies]: jsonOf(z.strictObject(policiesShape).check(checkPolicies)),
});

const janitorEnvSchema = z.object({
  [Variable.tableName]: z.string().min(1),
  [Variable.eventBusName]: z.string().min(1),
  [Variable.stateMachineArn]: z
    .string()
    .regex(
      /^arn:aws[a-z-]*:states:[a-z0-9-]+:\d{12}:stateMachine:[\w-]+$/,
      'use the ARN of a state machine',
    ),
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
