import { Command, type HelpContext, Option } from 'commander';
import { SERVICE_WORDS } from '../../contract/service/services.ts';
import { PRESET_NAMES } from '../../domain/rollout/default-policy.ts';
import { CONFLICT_POLICIES, FAILURE_POLICIES } from '../../domain/rollout/policy.ts';
import { GLOBAL_GROUP } from '../invocation/command-line.ts';
import type { Run } from '../invocation/invocation.ts';

export const OUTPUTS = ['table', 'json', 'id'] as const;
export type Output = (typeof OUTPUTS)[number];

/** Where rollouts run: in this process or a listener of this machine, or on AWS. */
export const ENGINES = ['embedded', 'aws'] as const;

export const DEFAULT_STACK = 'Steproll';

/** The options of every command that calls a service, and their names in the files that may set them. */
export const GLOBAL_OPTIONS = [
  { option: '--endpoint-url', profileKey: 'endpoint_url', configKeys: ['endpointUrl'] },
  { option: '--service', profileKey: 'service', configKeys: ['service.kind'] },
  { option: '--profile' },
  { option: '--region', profileKey: 'region', configKeys: ['region', 'service.region'] },
  { option: '--engine', profileKey: 'engine' },
  { option: '--stack', profileKey: 'stack' },
  { option: '--config', profileKey: 'config' },
  { option: '--output', profileKey: 'output' },
  { option: '--query' },
  { option: '--interactive' },
  { option: '--debug' },
  { option: '--debug-answers' },
] as const satisfies readonly GlobalOption[];

export interface GlobalOption {
  readonly option: string;
  readonly profileKey?: string;
  /** Ways to the value, of which a configuration has at most one. */
  readonly configKeys?: readonly string[];
}

/** The environment variable that sets an option: `STEPROLL_ENDPOINT_URL`. */
export function variableOf(option: string): string {
  return `STEPROLL_${option.slice(2).replaceAll('-', '_').toUpperCase()}`;
}

/** The end of the help of every command that calls a service. */
export const COMMON_HELP = `
Global options, for the service, the engine and the output: steproll --help.
They can be set in the environment (STEPROLL_ENDPOINT_URL, ...), in a profile or
in the configuration that --config names. STEPROLL_TOKEN holds a bearer token.

Exit codes: 0 done, 1 the answer is no, 2 bad input, 3 could not know,
130 interrupted.`;

/** The part of a help text with examples, up to an empty line. */
const EXAMPLES = /\nExamples:\n(?:.+(?:\n|$))+/;
/** The heading of the arguments, or of the options where there are none. */
const GLOBAL_LIST = /(^Global options:\n(?:.+\n)+)\n(^Commands:\n(?:.+\n)+)/m;
const FIRST_LIST = /^(Arguments|Options):$/m;

/** A command of the tree, with the options that several of them take. */
export class CliCommand extends Command {
  /** What it does. Its code is loaded when it runs. @default - it only has commands below it */
  run?: Run;
  /** What its help shows before the options. @default - nothing */
  examples = '';
  declare readonly commands: readonly CliCommand[];

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  runs(run: Run): this {
    this.run = run;
    return this;
  }

  /** The same for a command that calls a service or an engine. @param help What the options do not say, and examples. */
  does(help: string, run: Run): this {
    const [text = ''] = EXAMPLES.exec(help) ?? [];
    this.examples = text.trim();
    const notes = help.replace(text, '').trimEnd();
    return this.addHelpText('after', notes === '' ? COMMON_HELP : `${notes}\n${COMMON_HELP}`)
      .globalOptions({ areShown: false })
      .runs(run);
  }

  /**
   * Examples stand before the arguments and options, because most readers need no more, and what every command takes
   * stands last.
   */
  override helpInformation(context?: HelpContext): string {
    const text = super.helpInformation(context).replace(GLOBAL_LIST, '$2\n$1');
    return this.examples === ''
      ? text
      : text.replace(FIRST_LIST, (heading) => `${this.examples}\n\n${heading}`);
  }

  /** Every command that writes takes it, also one that asks nothing, so that a script need not know which do. */
  yes(): this {
    return this.option('--yes', 'do not ask for confirmation');
  }

  reason(): this {
    return this.yes().option('--reason <text>', 'why, for the history');
  }

  ofRollout(): this {
    return this.argument(
      '[rollout-id]',
      'the rollout: its id, the beginning of that, or of its hash (required)',
    );
  }

  /** What every command takes that is about a rollout that could be started. */
  ofVersion(): this {
    return this.argument('[runtime-id]', 'the runtime (required)')
      .option('--version <n>', 'the version to roll to; latest: the newest one')
      .option('--version-from <endpoint>', 'the version that is live there, instead of --version');
  }

  ofGroup(): this {
    return this.option('--group <name>', 'a group of the configuration, instead of a runtime');
  }

  again(): this {
    return this.option('--again', 'even if the version is in quarantine');
  }

  unpin(): this {
    return this.option('--unpin <ids>', 'even if it is pinned: pass these pins once');
  }

  anyTime(): this {
    return this.addOption(anyTimeOption());
  }

  policyOptions(): this {
    return this.grouped('How it is done:', [
      new Option('--preset <name>', 'waves, limits and bakes that go together').choices(
        PRESET_NAMES,
      ),
      new Option('--select <names>', 'only endpoints of these names or ids: endpoint-0*'),
      new Option('--exclude <names>', 'leave out these names or ids'),
      new Option('--waves <waves>', 'cumulative sizes or names; default 1,25%,100%'),
      new Option('--max-unavailable <size>', 'most endpoints in mid-roll at once; default 33%'),
      new Option(
        '--failure-threshold <size>',
        'how many endpoints of a wave may fail or vanish, a stuck one never; default 0',
      ),
      new Option('--bake <duration>', 'wait before a wave is trusted; default 5m'),
      new Option('--progress-deadline <duration>', 'fail a wave without progress; default 10m'),
      new Option('--poll <duration>', 'time between two reads of the list; default 5s to 30s'),
      new Option(
        '--on-failure <policy>',
        'default stop-old, or roll-back of a bad version',
      ).choices(FAILURE_POLICIES),
      new Option('--allow-downgrade', 'also roll to a version below the live one'),
      new Option(
        '--max-version-step <n>',
        'how far the version may be above the highest live one; default 1000',
      ),
      anyTimeOption(),
      new Option('--on-conflict <policy>', 'default refuse').choices(CONFLICT_POLICIES),
    ]);
  }

  /** In the help of each command they would hide what is its own. */
  globalOptions({ areShown }: { readonly areShown: boolean }): this {
    const options = [
      new Option('--endpoint-url <url>', 'base URL of the service; may hold {region}'),
      new Option('--service <kind>', 'kind of service; default rest').choices(SERVICE_WORDS),
      new Option('--profile <name>', 'profile with settings; default "default"'),
      new Option('--region <name>', 'fills {region} in the base URL; for agentcore its AWS region'),
      new Option('--engine <engine>', 'where rollouts run; default embedded').choices(ENGINES),
      new Option(
        '--stack <name>',
        'CloudFormation stack of the engine aws, NAME or NAME/ID; default Steproll',
      ),
      new Option('--config <file>', 'configuration, see docs/configuration.md; default none'),
      new Option('-o, --output <format>', 'form of the result; default table').choices(OUTPUTS),
      new Option('--query <jmespath>', 'pick from the result before it is printed'),
      new Option('-i, --interactive', 'ask for what is missing'),
      new Option('--debug', 'show settings, the ledger and all requests to the service'),
      new Option('--debug-answers', 'show all requests, with whole answers'),
    ];
    for (const option of options) option.hideHelp(!areShown);
    return this.grouped(GLOBAL_GROUP, options);
  }

  private grouped(heading: string, options: readonly Option[]): this {
    for (const option of options) this.addOption(option.helpGroup(heading));
    return this;
  }
}

function anyTimeOption(): Option {
  return new Option('--any-time', 'start outside of deployment windows and freezes too');
}
