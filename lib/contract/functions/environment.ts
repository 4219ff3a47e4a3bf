import * as z from 'zod';
import type { Stored } from '../../domain/stored.ts';
import { networkSchema } from '../config/network.ts';
import { serviceSettingsSchema } from '../config/service.ts';
import { parseInput } from '../input/parse-input.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const nameSchema = z.string().min(1);

const VARIABLES = {
  service: { name: 'SERVICE', schema: jsonOf(serviceSettingsSchema) },
  /** @default - as if nothing was said */
  network: { name: 'NETWORK', schema: jsonOf(networkSchema).prefault('{}') },
  /** How to check URLs that were not known when the stack was written. @default - all were known and checked */
  urls: {
    name: 'URLS',
    schema: jsonOf(
      z.object({ allowedOrigins: z.array(z.string()).optional() }).nullable(),
    ).prefault('null'),
  },
  tableName: { name: 'TABLE_NAME', schema: nameSchema },
  /** For how many days rollouts that have ended stay. `null`: for ever. */
  historyDays: { name: 'HISTORY_DAYS', schema: jsonOf(z.int().nullable()).prefault('null') },
  eventBusName: { name: 'EVENT_BUS_NAME', schema: nameSchema },
  /** Name of the CloudFormation stack, for the commands in messages. */
  stackName: { name: 'STACK_NAME', schema: nameSchema },
  stateMachineArn: {
    name: 'STATE_MACHINE_ARN',
    schema: z
      .string()
      .regex(
        /^arn:aws[a-z-]*:states:[a-z0-9-]+:\d{12}:stateMachine:[\w-]+$/,
        'use the ARN of a state machine',
      ),
  },
};

/** The settings that functions get from their deployment. Each function gets only those that it needs. */
export type FunctionSettings = {
  readonly [Key in keyof typeof VARIABLES]: Stored<(typeof VARIABLES)[Key]['schema']>;
};

/** Used by the deployment. What grows with the runtimes has no room here: see code-files.ts. */
export function writeFunctionEnv(settings: Partial<FunctionSettings>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      VARIABLES[key as keyof FunctionSettings].name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/** Used at the start of a function. @throws `InvalidInput` that lists every mistake. */
export function readFunctionEnv<Key extends keyof FunctionSettings>(
  environment: Environment,
  keys: readonly Key[],
): Pick<FunctionSettings, Key> {
  const shape = Object.fromEntries(
    keys.map((key): [string, z.ZodType] => [VARIABLES[key].name, VARIABLES[key].schema]),
  );
  const given = keys.flatMap((key): [string, string][] => {
    const text = environment[VARIABLES[key].name];
    return text === undefined ? [] : [[VARIABLES[key].name, fillIn(text, environment)]];
  });
  const read = parseInput(z.object(shape), Object.fromEntries(given), 'environment');
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

// Some values are known only where a stack is deployed, for example the ARN of a secret that the same app creates. They
// have variables of their own in a function's environment. The settings and the files beside the code refer to them.

/** Stands in JSON for the value of a variable. Nothing else that is written there has this key. */
export interface LateValue {
  readonly fromEnvironment: string;
}

/** The name of the variable of a late value: the first, the second and so on of a function. */
export function lateValue(index: number): LateValue {
  return { fromEnvironment: `VALUE_${index + 1}` };
}

/** JSON keeps quotes within texts apart by a backslash, so that no text looks like this. */
const REFERENCE = /\{"fromEnvironment":"(VALUE_\d+)"\}/g;

/** JSON with the values of the environment in the place of what stands for them. Nothing of it is checked yet. */
export function fillIn(json: string, environment: Environment): string {
  return json.replaceAll(REFERENCE, (_, name: string) => JSON.stringify(environment[name] ?? null));
}
