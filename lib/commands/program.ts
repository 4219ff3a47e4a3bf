import { CommanderError } from 'commander';
import { nameMissingHome } from '../adapters/machine/environment.ts';
import { chooseCommand, collectGiven } from '../cli/invocation/command-line.ts';
import { ExitCode, exitCodeOfError } from '../cli/invocation/exit-code.ts';
import type { Invocation, Run } from '../cli/invocation/invocation.ts';
import { heedSignals, ignoreClosedPipes } from '../cli/invocation/process.ts';
import { CliCommand } from '../cli/options/global-options.ts';
import { SteprollError } from '../domain/errors.ts';
import { addEndpointCommands } from './endpoint.ts';
import { addHoldCommands } from './hold.ts';
import { addLocalCommands } from './local.ts';
import {
  addDriftCommand,
  addReleaseCommands,
  addReportCommand,
  addRolloutCommands,
} from './rollout.ts';

/** Runs the command line of this process, and leaves its exit code. */
export async function main(version: string): Promise<void> {
  nameMissingHome();
  heedSignals();
  ignoreClosedPipes();
  process.exitCode = await runProgram(process.argv.slice(2), version);
}

/** Runs the command line and answers the exit code. */
export async function runProgram(typed: readonly string[], version: string): Promise<number> {
  const args = asHelpOption(typed);
  const { program, runnables } = createProgram(version);
  let invocation: Invocation | undefined;
  try {
    const { command, args: own, unknown } = chooseCommand(program, args);
    if (unknown !== undefined) {
      const { commandFor } = await import('../cli/invocation/meant.ts');
      const meant = commandFor(program, unknown);
      if (meant !== undefined) command.error(`error: unknown command '${unknown}'\n(${meant})`);
    }
    const [, run] = runnables.find(([one]) => one === command) ?? [];
    if (run === undefined) {
      // The words name no command that runs: they ask for help or the version, or a word is unknown.
      await program.parseAsync([...args], { from: 'user' });
      return ExitCode.Done;
    }
    if (wantsHelp(own)) command.help();
    invocation = collectGiven(command, own);
    return await run(invocation);
  } catch (error) {
    // Commander has reported the mistake already. It also ends help and version in this way.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : ExitCode.BadInput;
    const { describeError } = await import('../telling/words/errors.ts');
    const lines = [describeError(error), ...(await hintsAbout(error, invocation))];
    process.stderr.write(`${lines.join('\n')}\n`);
    return exitCodeOfError(error);
  }
}

/** The tree of commands with their help. The code of a command is loaded when the command runs. */
export function createProgram(version: string) {
  const program = new CliCommand('steproll')
    .description(
      'Moves a fleet of endpoints to a new version in waves, unattended, and takes it back when it is bad.',
    )
    .version(version)
    // After the subcommand, `--version` is the version to roll to.
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options and examples)')
    .exitOverride()
    .globalOptions({ areShown: true });
  program.examples = EXAMPLES;
  addEndpointCommands(program);
  addRolloutCommands(program);
  addDriftCommand(program);
  addReportCommand(program);
  addHoldCommands(program);
  addReleaseCommands(program);
  addLocalCommands(program);
  return { program, runnables: runnablesOf(program) };
}

/** Each command that runs, and what it does. */
function runnablesOf(command: CliCommand): (readonly [command: CliCommand, run: Run])[] {
  const own = command.run === undefined ? [] : [[command, command.run] as const];
  return [...own, ...command.commands.flatMap(runnablesOf)];
}

const EXAMPLES = `Examples:
  steproll agent runtime endpoint list shop --endpoint-url http://127.0.0.1:8080
  steproll rollout plan shop --version 7
  steproll rollout start shop --version 7 --profile prod
  steproll rollout list shop --engine aws
  steproll rollout abort ID --on-abort roll-back`;

async function hintsAbout(error: unknown, invocation: Invocation | undefined): Promise<string[]> {
  if (!(error instanceof SteprollError) || invocation === undefined) return [];
  const { aboutError } = await import('../cli/engine/about-error.ts');
  const { hintsFor } = await import('../telling/words/errors.ts');
  return hintsFor(error.name, await aboutError(error, invocation));
}

/** Turns `help rollout plan` into `rollout plan --help`, because Commander itself reads only one word. */
function asHelpOption(args: readonly string[]): readonly string[] {
  const [first, ...command] = args;
  return first === 'help' ? [...command, '--help'] : args;
}

function wantsHelp(args: readonly string[]): boolean {
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return options.includes('--help') || options.includes('-h');
}
