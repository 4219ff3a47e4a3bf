import * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { TriggerRules } from '../../domain/trigger/trigger.ts';
import { type Policies, policiesSchema } from '../config/policies.ts';
import { type ReleaseMapping, releaseMappingSchema } from '../config/releases.ts';
import { type ServiceSettings, serviceSettingsSchema } from '../config/service.ts';
import { parseInput } from '../parsing/parse-input.ts';

/** The settings that functions get from their deployment. Each function gets only those that it needs. */
export interface FunctionSettings {
  readonly service: ServiceSettings;
  readonly tableName: string;
  readonly eventBusName: string;
  readonly policies: Policies;
  readonly stateMachineArn: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const nameSchema = z.string().min(1);

const VARIABLES = {
  service: { name: 'SERVICE', schema: jsonOf(serviceSettingsSchema) },
  tableName: { name: 'TABLE_NAME', schema: nameSchema },
  eventBusName: { name: 'EVENT_BUS_NAME', schema: nameSchema },
  policies: { name: 'POLICIES', schema: jsonOf(policiesSchema) },
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

/** Used by the deployment. @throws `InvalidInput` for policies that do not fit in. */
export function writeFunctionEnv(settings: Partial<FunctionSettings>): Record<string, string> {
  const environment = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      VARIABLES[key as keyof FunctionSettings].name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  refuseTooLong(JSON.stringify(environment), 'policy, runtimes: with the other settings they are');
  return environment;
}

/** Used at the start of a function. @throws `InvalidInput` that lists every mistake. */
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

/** Lambda allows 4 KB. The rest is for names that are known only during the deployment. */
const MAX_BYTES = 3_800;

function refuseTooLong(text: string, theyAre: string): void {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MAX_BYTES) return;
  throw new SteprollError(
    ErrorName.InvalidInput,
    `${theyAre} ${bytes} bytes, and a function's environment holds ${MAX_BYTES}`,
  );
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

/** The settings of the start function. They never contain a policy, nor where the service is. */
export interface StartSettings {
  readonly stateMachineArn: string;
  readonly tableName: string;
  readonly rules: TriggerRules;
  readonly releases: readonly ReleaseMapping[];
}

const Variable = {
  stateMachineArn: 'STATE_MACHINE_ARN',
  tableName: 'TABLE_NAME',
  triggers: 'TRIGGERS',
} as const;

/** @throws `InvalidInput` for triggers that do not fit in. */
export function writeStartEnv(settings: StartSettings): Record<string, string> {
  const { stateMachineArn, tableName, rules, releases } = settings;
  const mappings = releases.map((release) => releaseMappingSchema.parse(release));
  const triggers = JSON.stringify({ rules, releases: mappings });
  refuseTooLong(triggers, 'triggers.releases, runtimes: they are');
  return {
    [Variable.stateMachineArn]: stateMachineArn,
    [Variable.tableName]: tableName,
    [Variable.triggers]: triggers,
  };
}

/** @throws `InvalidInput` that lists every mistake. */
export function readStartEnv(
  environment: Readonly<Record<string, string | undefined>>,
): StartSettings {
  const read = parseInput(startEnvSchema, environment, 'environment');
  return {
    stateMachineArn: read[Variable.stateMachineArn],
    tableName: read[Variable.tableName],
    ...read[Variable.triggers],
  };
}

const triggersSchema = z.strictObject({
  rules: z.strictObject({ runtimes: z.array(z.string()), maxAgeSeconds: z.int() }),
  releases: z.array(releaseMappingSchema),
});

const startEnvSchema = z.object({
  [Variable.stateMachineArn]: nameSchema,
  [Variable.tableName]: nameSchema,
  [Variable.triggers]: jsonOf(triggersSchema),
});
