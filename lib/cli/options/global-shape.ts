import * as z from 'zod';
import { endpointUrlSchema, regionSchema } from '../../contract/service/endpoint-url.ts';
import { SERVICE_KINDS } from '../../contract/service/services.ts';
import { DEFAULT_STACK, ENGINES, OUTPUTS } from './global-options.ts';
import { querySchema } from './query.ts';

const endpointUrl = z
  .string({ error: 'use the base URL of the service, here or in STEPROLL_ENDPOINT_URL' })
  .pipe(endpointUrlSchema);

const ON = ['1', 'true', 'yes'];

/** A switch, either typed or as text in a variable. */
export const onOff = z
  .union([
    z.boolean(),
    z
      .string()
      .toLowerCase()
      .pipe(z.enum(['1', 'true', 'yes', '0', 'false', 'no'])),
  ])
  .transform((value) => value === true || ON.includes(String(value)))
  .default(false);

const stackName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/, 'use the name of a CloudFormation stack: Steproll')
  .default(DEFAULT_STACK);

/** The options in a command that does not call the service. The endpoint URL is not checked. */
export const ledgerShape = {
  '--service': z.enum(SERVICE_KINDS).default('rest'),
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
export const globalShape = { '--endpoint-url': endpointUrl, ...ledgerShape };

/** What is checked in their place when the service is AgentCore: the AWS SDK knows its URL for a region. */
export const agentCoreShape = {
  '--endpoint-url': z.undefined().optional(),
  '--region': z
    .string({ error: 'use the AWS region of the runtimes, here or in AWS_REGION' })
    .pipe(regionSchema),
};
