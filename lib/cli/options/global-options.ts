import { type Command, Option } from 'commander';
import { SERVICE_KINDS } from '../../contract/service/services.ts';
import { PRESET_NAMES } from '../../domain/rollout/default-policy.ts';
import { CONFLICT_POLICIES, FAILURE_POLICIES } from '../../domain/rollout/policy.ts';
import { GLOBAL_GROUP } from '../invocation/command-line.ts';

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
    configKeys: ['endpointUrl'],
  },
  {
    option: '--service',
    variable: 'STEPROLL_SERVICE',
    profileKey: 'service',
    configKeys: ['service.kind'],
  },
  { option: '--profile', variable: 'STEPROLL_PROFILE' },
  {
    option: '--region',
    variable: 'STEPROLL_REGION',
    profileKey: 'region',
    configKeys: ['region', 'service.region'],
  },
  { option: '--engine', variable: 'STEPROLL_ENGINE', profileKey: 'engine' },
  { option: '--stack', variable: 'STEPROLL_STACK', profileKey: 'stack' },
  { option: '--config', variable: 'STEPROLL_CONFIG', profileKey: 'config' },
  { option: '--output', variable: 'STEPROLL_OUTPUT', profileKey: 'output' },
  { option: '--query', variable: 'STEPROLL_QUERY' },
  { option: '--interactive', variable: 'STEPROLL_INTERACTIVE' },
  { option: '--debug', variable: 'STEPROLL_DEBUG' },
  { option: '--debug-answers', variable: 'STEPROLL_DEBUG_ANSWERS' },
] as const satisfies readonly GlobalOption[];

export interface GlobalOption {
  readonly option: string;
  readonly variable: string;
  readonly profileKey?: string;
  /** Ways to the value, of which a configuration has at most one. */
  readonly configKeys?: readonly string[];
}

/** Every command that writes takes it, also one that asks nothing, so that a script need not know which do. */
export function withYes(command: Command): Command {
  return command.option('--yes', 'do not ask for confirmation');
}

export const DEFAULT_STACK = 'Steproll';

/** Adds the options to a command, under their own heading in its help. */
export function withGlobalOptions(command: Command): Command {
  const options = [
    new Option('--endpoint-url <url>', 'base URL of the service; may hold {region}'),
    new Option('--service <kind>', 'kind of service; default rest').choices(SERVICE_KINDS),
    new Option('--profile <name>', 'profile with settings; default "default"'),
    new Option('--region <name>', 'fills {region} in the base URL; for agentcore its AWS region'),
    new Option('--engine <engine>', 'where rollouts run; default embedded').choices(ENGINES),
    new Option('--stack <name>', 'CloudFormation stack of the engine aws; default Steproll'),
    new Option('--config <file>', 'configuration, see docs/configuration.md; default none'),
    new Option('-o, --output <format>', 'form of the result; default table').choices(OUTPUTS),
    new Option('--query <jmespath>', 'pick from the result before it is printed'),
    new Option('-i, --interactive', 'ask for what is missing'),
    new Option('--debug', 'show settings, the ledger and all requests to the service'),
    new Option('--debug-answers', 'show all requests, with whole answers'),
  ];
  for (const option of options) command.addOption(option.helpGroup(GLOBAL_GROUP));
  return command;
}

export function withPolicyOptions(command: Command): Command {
  const options = [
    new Option('--preset <name>', 'waves, limits and bakes that go together').choices(PRESET_NAMES),
    new Option('--select <names>', 'only endpoints of these names or ids: endpoint-0*'),
    new Option('--exclude <names>', 'but not these names or ids'),
    new Option('--waves <waves>', 'cumulative sizes or names; default 1,25%,100%'),
    new Option('--max-unavailable <size>', 'most endpoints in mid-roll at once; default 33%'),
    new Option(
      '--failure-threshold <size>',
      'endpoints of a wave that may fail or vanish, but not be stuck; default 0',
    ),
    new Option('--bake <duration>', 'wait before a wave is trusted; default 5m'),
    new Option('--progress-deadline <duration>', 'fail a wave without progress; default 10m'),
    new Option('--poll <duration>', 'time between two reads of the list; default 5s to 30s'),
    new Option('--on-failure <policy>', 'default stop-old, or roll-back of a bad version').choices(
      FAILURE_POLICIES,
    ),
    new Option('--allow-downgrade', 'also roll to a version below the live one'),
    new Option('--max-version-step <n>', 'most above the highest live version; default 1000'),
    anyTimeOption(),
    new Option('--on-conflict <policy>', 'default refuse').choices(CONFLICT_POLICIES),
  ];
  for (const option of options) command.addOption(option.helpGroup('How it is done:'));
  return command;
}

/** What every command takes that is about a rollout that could be started. */
export function withVersion(command: Command): Command {
  return command
    .argument('[runtime-id]', 'the runtime (required)')
    .option('--version <n>', 'the version to roll to; latest: the newest one')
    .option('--version-from <endpoint>', 'the version that is live there, instead of --version');
}

export function anyTimeOption(): Option {
  return new Option('--any-time', 'start outside of deployment windows and freezes too');
}
