import * as z from 'zod';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { authSchema } from './auth.ts';
import type { Config } from './config.ts';
import { endpointUrlSchema } from './endpoint-url.ts';
import { parseInput } from './parse-input.ts';
import { checkPolicies, type Policies, policiesShape } from './policies.ts';
import { wireMappingSchema } from './wire.ts';

/** What functions are told by their deployment: each of them what it needs, and no more. */
export interface FunctionSettings extends ServiceSettings {
  /** Of the ledger. */
  readonly tableName: string;
  /** Of the bus where rollouts are told of. */
  readonly eventBusName: string;
  readonly policies: Policies;
  readonly stateMachineArn: string;
}

/** What a function knows that calls the service. Of the credentials it is only where they are kept. */
export type ServiceSettings = Pick<Config, 'endpointUrl' | 'auth' | 'wire'>;

export const SERVICE_SETTINGS = ['endpointUrl', 'auth', 'wire'] as const;

export type Environment = Readonly<Record<string, string | undefined>>;

const nameSchema = z.string().min(1);

/** The environment variable of each. */
const VARIABLES = {
  endpointUrl: { name: 'ENDPOINT_URL', schema: endpointUrlSchema },
  auth: { name: 'AUTH', schema: jsonOf(authSchema) },
  wire: { name: 'WIRE', schema: jsonOf(wireMappingSchema) },
  tableName: { name: 'TABLE_NAME', schema: nameSchema },
  eventBusName: { name: 'EVENT_BUS_NAME', schema: nameSchema },
  policies: {
    name: 'POLICIES',
    schema: jsonOf(z.strictObject(policiesShape).check(checkPolicies)),
  },
  stateMachineArn: {
    name: 'STATE_MACHINE_ARN',
    schema: z
      .string()
      .regex(
        /^arn:aws[a-z-]*:states:[a-z0-9-]+:\d{12}:stateMachine:[\w-]+$/,
        'use the ARN of a state machine',
      ),
  },
} satisfies Record<keyof FunctionSettings, { readonly name: string; readonly schema: z.ZodType }>;

/** Lambda takes 4 KB; some of that is left for names that the deployment only knows later. */
const MAX_BYTES = 3_800;

/** Written by the deployment. @throws `InvalidInput` for policies that do not fit in. */
export function writeFunctionEnv(settings: Partial<FunctionSettings>): Record<string, string> {
  const environment = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      VARIABLES[key as keyof FunctionSettings].name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  const bytes = new TextEncoder().encode(JSON.stringify(environment)).length;
  if (bytes > MAX_BYTES) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `policy, runtimes: with the other settings they are ${bytes} bytes, and a function's environment holds ${MAX_BYTES}`,
    );
  }
  return environment;
}

/** Read at the start of a function. @throws `InvalidInput` that lists every mistake. */
export function readFunctionEnv<Key extends keyof FunctionSettings>(
  environment: Environment,
  keys: readonly Key[],
): Pick<FunctionSettings, Key> {
  const shape = Object.fromEntries(
    keys.map((key): [string, z.ZodType] => [VARIABLES[key].name, VARIABLES[key].schema]),
  );
  const read = parseInput(z.object(shape), environment, 'environment');
  const settings = keys.map((key) => [key, read[VARIABLES[key].name]]);
  return Object.fromEntries(settings) as Pick<FunctionSettings, Key>;
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
