import { type Command, Option } from 'commander';
import * as z from 'zod';
import { endpointUrlSchema, regionSchema } from '../../contract/service/endpoint-url.ts';
import { querySchema } from './query.ts';

export const OUTPUTS = ['table', 'json', 'id'] as const;
export type Output = (typeof OUTPUTS)[number];

/** Where rollouts run: in this process or a listener of this machine, or on AWS. */
export const ENGINES = ['embedded', 'aws'] as const;

/** The options of every command that calls a service, and their names in the other places that may set them. */
export const GLOBAL_OPTIONS = [
  {
    option: '--endpoint-url',
    variable: 'STEPROLL_ENDPOINT_URL',
    profileKey: 'endpoint_url',
    configKey: 'endpointUrl',
  },
  { option: '--profile', variable: 'STEPROLL_PROFILE' },
  { option: '--region', variable: 'STEPROLL_REGION', profileKey: 'region', configKey: 'region' },
  { option: '--engine', variable: 'STEPROLL_ENGINE', profileKey: 'engine' },
  { option: '--stack', variable: 'STEPROLL_STACK', profileKey: 'stack' },
  { option: '--config', variable: 'STEPROLL_CONFIG', profileKey: 'config' },
  { option: '--output', variable: 'STEPROLL_OUTPUT', profileKey: 'output' },
  { option: '--query', variable: 'STEPROLL_QUERY' },
  { option: '--interactive', variable: 'STEPROLL_INTERACTIVE' },
  { option: '--debug', variable: 'STEPROLL_DEBUG' },
] as const satisfies readonly GlobalOption[];

export interface GlobalOption {
  readonly option: string;
  readonly variable: string;
  readonly profileKey?: string;
  readonly configKey?: string;
}

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

export const DEFAULT_STACK = 'Steproll';

const stackName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/, 'use the name of a CloudFormation stack: Steproll')
  .default(DEFAULT_STACK);

/** The options in a command that does not call the service. The endpoint URL is not checked. */
export const ledgerShape = {
  '--profile': z.string().min(1).optional(),
  '--region': regionSchema.optional(),
  '--engine': z.enum(ENGINES).default('embedded'),
  '--stack': stackName,
  '--config': z.string().min(1).optional(),
  '--output': z.enum(OUTPUTS).default('table'),
  '--query': querySchema,
  '--interactive': onOff,
  '--debug': onOff,
};

/** The options in a command that calls the service. The endpoint URL has the region filled in. */
export const globalShape = { '--endpoint-url': endpointUrl, ...ledgerShape };

/** Adds the options to a command, under their own heading in its help. */
export function withGlobalOptions(command: Command): Command {
  const options = [
    new Option('--endpoint-url <url>', 'base URL of the service; may hold {region}'),
    new Option('--profile <name>', 'profile with settings; default "default"'),
    new Option('--region <name>', 'fills {region} in the base URL'),
    new Option('--engine <engine>', 'where rollouts run; default embedded').choices(ENGINES),
    new Option('--stack <name>', 'CloudFormation stack of the engine aws; default Steproll'),
    new Option('--config <file>', 'configuration, see docs/configuration.md; default none'),
    new Option('-o, --output <format>', 'form of the result; default table').choices(OUTPUTS),
    new Option('--query <jmespath>', 'pick from the result before it is printed'),
    new Option('-i, --interactive', 'ask for what is missing'),
    new Option('--debug', 'show settings, the ledger and all requests to the service'),
  ];
  for (const option of options) command.addOption(option.helpGroup('Global options:'));
  return command;
}
