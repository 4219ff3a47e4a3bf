import { Command, CommanderError } from 'commander';
import { errorMessageOf } from '../domain/errors.ts';
import { type ActionOf, addEndpointCommands } from './add-endpoint-commands.ts';
import { ExitCode, exitCodeOfError } from './exit-code.ts';
import { rolloutStart } from './rollout-start.ts';
import { serve } from './serve.ts';
import { plainLines } from './view/plain-text.ts';

/** Runs the command line and answers the exit code. */
export async function runProgram(args: readonly string[], version: string): Promise<number> {
  let exitCode: number = ExitCode.Done;
  const program = createProgram(version, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has said what is wrong already, and asks for help and version this way too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : ExitCode.BadInput;
    process.stderr.write(`${plainLines(errorMessageOf(error))}\n`);
    return exitCodeOfError(error);
  }
}

function createProgram(version: string, onExit: (code: number) => void): Command {
  const program = new Command('steproll')
    .description('Rolls the endpoints of a runtime to a version, wave by wave and hands off.')
    .version(version)
    // A version after the subcommand is the one to roll to.
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options and examples)')
    .exitOverride();
  const actionOf = actionsOf(onExit);
  addEndpointCommands(program, actionOf);
  addRolloutStart(program.command('rollout').description('Rollouts of a runtime'), actionOf);
  addServe(program, actionOf);
  return program;
}

/**
 * Commander hands arguments over by place and options by camelCase names. A command gets them all
 * under the names that people typed, so that a mistake is reported under that name.
 */
function actionsOf(onExit: (code: number) => void): ActionOf {
  return (run, ...argumentNames) =>
    async (...args) => {
      const given = argumentNames.map((name, index) => [name, args[index]]);
      const options = Object.entries(args[argumentNames.length] as object).map(([key, value]) => [
        `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
        value,
      ]);
      onExit(await run(Object.fromEntries([...given, ...options])));
    };
}

function addRolloutStart(rollout: Command, actionOf: ActionOf): void {
  rollout
    .command('start [runtime-id]')
    .description('Roll the endpoints of a runtime to a version and watch until it is done.')
    .option('--version <n>', 'the version to roll to (required)')
    .option('--endpoint-url <url>', 'base URL of the service (or STEPROLL_ENDPOINT_URL)')
    .option('--waves <sizes>', 'cumulative wave sizes; default 1,25%,100%')
    .option('--max-unavailable <size>', 'most endpoints in mid-roll at once; default 33%')
    .option('--bake <duration>', 'wait before a wave is trusted; default 5m')
    .option('--progress-deadline <duration>', 'fail a wave without progress; default 10m')
    .option('--poll <duration>', 'time between two reads of the list, at least 1s; default 5s')
    .option('--on-failure <policy>', 'stop-old or hold; default stop-old')
    .option('--yes', 'do not ask for confirmation')
    .option('-o, --output <format>', 'table, json or id', 'table')
    .option('--debug', 'print every request to stderr')
    .addHelpText('after', START_HELP)
    .action(actionOf(rolloutStart, 'runtime-id'));
}

const START_HELP = `
Durations are seconds, or a number with a unit: 0, 30, 5m, 12h.

On failure:
  stop-old  stop the endpoints that this rollout rolled and that are not live on the version
  hold      leave every endpoint as it is
  (roll-back is not there yet)

Examples:
  steproll rollout start shop --version 7 --endpoint-url https://endpoints.example.com/runtime
  steproll rollout start shop --version 7 --waves 1,10%,50%,100% --bake 10m --on-failure hold
  steproll rollout start shop --version 7 --yes -o json | jq .outcome

Exit codes: 0 done, 1 the rollout failed, 2 bad input, 3 could not know, 130 interrupted.
A bearer token is taken from STEPROLL_TOKEN.
History and locks are kept in STEPROLL_STATE_DIR; default ~/.local/state/steproll.`;

function addServe(program: Command, actionOf: ActionOf): void {
  program
    .command('serve')
    .description('Serve an embedded endpoint service on the loopback address, to try things out.')
    .option('--port <n>', 'port; 0 takes a free one', '8080')
    .option(
      '--scenario <file>',
      'JSON file with runtimes, endpoints and faults; default a fleet of 12',
    )
    .option('--path-prefix <path>', 'path before /agent-runtimes, such as /runtime')
    .addHelpText('after', SERVE_HELP)
    .action(actionOf(serve));
}

const SERVE_HELP = `
The URL is printed to stdout, every request to stderr.

Examples:
  steproll serve
  steproll serve --port 0 --scenario rehearsal.json
  steproll serve --path-prefix /runtime

A scenario:
  {
    "runtimes": [{ "id": "shop", "version": 1, "endpoints": 12, "rollSeconds": 2 }],
    "faults": [{ "endpoint": "endpoint-03", "version": 3, "kind": "stuck" }]
  }`;
