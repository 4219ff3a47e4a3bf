import {
  compile,
  isRegistered,
  type JSONValue,
  TreeInterpreter,
} from '@jmespath-community/jmespath';
import * as z from 'zod';
import { endpointUrlSchema, regionSchema } from '../../contract/service/endpoint-url.ts';
import { SERVICE_WORDS } from '../../contract/service/services.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { refuse } from './fields.ts';
import { DEFAULT_STACK, ENGINES, OUTPUTS } from './global-options.ts';

/** Selects a part of a command's result. */
export type Query = (result: unknown) => unknown;

/** A JMESPath expression for `--query`. Without one there is no query: `undefined`. */
export const querySchema = z
  .string()
  .transform((text, context): Query => {
    try {
      return compileQuery(text);
    } catch (error) {
      return refuse(context, text, `it is no JMESPath: ${errorMessageOf(error)}`);
    }
  })
  .optional();

function compileQuery(text: string): Query {
  const query = compile(text);
  const unknown = functionsIn(query).find((name) => !isRegistered(name));
  if (unknown !== undefined) throw new Error(`there is no function ${unknown}()`);
  return (result) => {
    try {
      return TreeInterpreter.search(query, result as JSONValue);
    } catch (cause) {
      const message = `The command was carried out, but --query does not fit its result: ${errorMessageOf(cause)}`;
      throw new SteprollError(ErrorName.InvalidInput, message, { cause });
    }
  };
}

/** The library looks up functions only when it evaluates them, which may be after the call. */
function functionsIn(query: unknown): string[] {
  const names: string[] = [];
  JSON.stringify(query, (_, node) => {
    if (node?.type === 'Function') names.push(node.name);
    return node;
  });
  return names;
}

/** @param allowHttp Hosts that may be called over plain http. @default - none */
export function serviceShape(allowHttp?: readonly string[]) {
  const endpointUrl = z
    .string({ error: 'use the base URL of the service, here or in STEPROLL_ENDPOINT_URL' })
    .pipe(endpointUrlSchema({ allowHttp }));
  return { '--endpoint-url': endpointUrl };
}

/** A switch, either typed or as text in a variable. */
export const onOff = z
  .union([z.boolean(), z.stringbool({ truthy: ['1', 'true', 'yes'], falsy: ['0', 'false', 'no'] })])
  .default(false);

const stackName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9-]{0,127}(\/[\w/.-]{1,200})?$/,
    'use the name of a CloudFormation stack, and "/" with the id of the construct where it has several: Steproll, Shop/Rollouts',
  )
  .default(DEFAULT_STACK);

/** The options in a command that does not call the service. The endpoint URL is not checked. */
export const ledgerShape = {
  '--service': z.enum(SERVICE_WORDS).default('rest'),
  '--profile': z.string().min(1).optional(),
  '--region': regionSchema.optional(),
  '--engine': z.enum(ENGINES).default('embedded'),
  '--stack': stackName,
  '--config': z.string().min(1).optional(),
  '--output': z.enum(OUTPUTS).default('table'),
  '--query': querySchema,
  '--interactive': onOff,
  '--debug': onOff,
  '--debug-answers': onOff,
};

/** The options in a command that calls the service. The endpoint URL has the region filled in. */
export const globalShape = { ...serviceShape(), ...ledgerShape };

/** What is checked in their place when the service is AgentCore: the AWS SDK knows its URL for a region. */
export const agentCoreShape = {
  '--endpoint-url': z.undefined().optional(),
  '--region': z
    .string({ error: 'use the AWS region of the runtimes or harnesses, here or in AWS_REGION' })
    .pipe(regionSchema),
};
