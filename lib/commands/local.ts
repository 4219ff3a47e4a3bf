import { Argument, Option } from 'commander';
import { SHELLS } from '../cli/completion/completion.ts';
import type { CliCommand } from '../cli/options/global-options.ts';

/** The commands of this machine: none of them is about one rollout. */
export function addLocalCommands(program: CliCommand): void {
  program
    .command('config')
    .description('The configuration of rollouts')
    .command('check')
    .description('Try a configuration before anything rolls. Only reads.')
    .argument('[file]', 'the configuration; the same as --config')
    .option('--runtime <ids>', 'only these runtimes: shop,cart; default: all in the configuration')
    .does(CHECK_HELP, async (given) => (await import('../cli/config/check.ts')).configCheck(given));
  program
    .command('console')
    .description('Show the rollouts in a browser, on this machine.')
    .option('--port <n>', 'port; 0 takes a free one; default 8070')
    .does(CONSOLE_HELP, async (given) =>
      (await import('../console/command.ts')).openConsole(given),
    );
  program
    .command('ledger')
    .description('The ledger of this machine: what rollouts, holds and webhooks remember')
    .command('copy')
    .description('Copy the ledger into one new file, while everything goes on.')
    .argument('[file]', 'the file, which must not be there yet (required)')
    .does(COPY_HELP, async (given) =>
      (await import('../cli/local/copy-ledger.ts')).ledgerCopy(given),
    );
  program
    .command('listen')
    .description('Start rollouts from releases and schedules, on this machine.')
    .option('--port <n>', 'port; 0 takes a free one; default 8090')
    .does(LISTEN_HELP, async (given) => (await import('../cli/local/listen.ts')).listen(given));
  program
    .command('rehearse')
    .ofVersion()
    .description('Rehearse a rollout in virtual time, once or a thousand times. Changes nothing.')
    .option('--scenario <file>', 'a fleet with its faults, instead of the one that is listed now')
    .option('--runs <n>', 'rehearse so many times, each time with other faults')
    .option('--seed <n>', 'the seed of the faults, with --runs that of the first ones; default 1')
    .addOption(
      new Option(
        '--faults <how>',
        'how much goes wrong; default few with --runs or --seed',
      ).choices(['few', 'many']),
    )
    .option('--against <file>', 'compare with the policy of this configuration, or a preset')
    .policyOptions()
    .does(REHEARSE_HELP, async (given) =>
      (await import('../cli/rehearsal/rehearse.ts')).rehearseRollout(given),
    );
  program
    .command('serve')
    .description('Serve an embedded endpoint service on the loopback address, to try things out.')
    .option('--port <n>', 'port; 0 takes a free one; default 8080')
    .option('--scenario <file>', 'JSON with runtimes, endpoints and faults; default 12 endpoints')
    .option('--path-prefix <path>', 'path before /agent-runtimes, such as /runtime')
    .addHelpText('after', SERVE_HELP)
    .runs(async (given) => (await import('../cli/local/serve.ts')).serve(given));
  program
    .command('completion')
    .description('Print the script that completes commands and options in a shell.')
    .addArgument(new Argument('[shell]', 'the shell (required)').choices(SHELLS))
    .addHelpText('after', COMPLETION_HELP)
    .runs(async (given) =>
      (await import('../cli/completion/print.ts')).printCompletion(program, given),
    );
}

const CHECK_HELP = `
It reads one list of each runtime and the state of each alarm, and says in a
line each: whether the service answers and takes the credentials, which
endpoints are selected, whether somebody can answer the gates, when windows open
or close, and when schedules are due. It ends with 0 when all is ok, with 2 when
there is a fault, and with 3 when only an answer is missing.

Examples:
  steproll config check steproll.config.json --runtime shop
  steproll config check --profile prod
  steproll config check prod.config.json --runtime shop -o json
  steproll config check --runtime shop --endpoint-url http://127.0.0.1:8080`;

const CONSOLE_HELP = `
It serves on the loopback address until Ctrl-C, and prints the link to open to
stdout. The link works once, and the browser that opens it may do what you may
do until the console ends. Ctrl-\\ prints another link. Rollouts are read,
approved, rejected, aborted and retried with your rights. A retry on this
machine and a rehearsal call the service at --endpoint-url.

Examples:
  steproll console
  steproll console --port 0
  steproll console --engine aws --stack Steproll`;

const COPY_HELP = `
The copy is whole, as it was at one moment, and for its owner alone. To use it,
put it as ledger.sqlite into a state directory that has no ledger.
docs/how-to/maintain.md says what an old copy does not know.

Examples:
  steproll ledger copy backup.sqlite
  steproll ledger copy "steproll-$(date +%F).sqlite"`;

const LISTEN_HELP = `
It runs until Ctrl-C or SIGTERM. Then it finishes the current steps and leaves
the rollouts open; the next listener goes on with them. In the configuration
that --config names, runtimes has the runtimes that triggers may roll, and
triggers has schedules and other systems' releases. Events of rollouts go to
stdout, one per line; everything else goes to stderr.

Examples:
  steproll listen --config steproll.config.json
  steproll listen --config /etc/steproll/steproll.config.json --port 8091
  steproll release publish shop --version 7`;

const REHEARSE_HELP = `
The real workflow runs on a simulated service, and no time passes. The service
of --endpoint-url is only asked for its list of endpoints, and with --scenario
nothing is asked. Freezes are left out, and windows that bind only the start.

One rehearsal is told as a story, and has the exit code that the rollout would
have. Without --seed and --faults nothing goes wrong but what a scenario says.
With --runs, each rehearsal has a seed of its own, and the same seed shows it
again as a story. With --against, both policies meet the same faults.

Examples:
  steproll rehearse shop --version 7
  steproll rehearse shop --version 7 --runs 1000 --faults many
  steproll rehearse shop --version 7 --seed 412 --faults many
  steproll rehearse shop --version 7 --runs 1000 --against careful
  steproll rehearse shop --version 2 --scenario fleet.json -o json`;

const SERVE_HELP = `
The URL is printed to stdout, every request to stderr.

Examples:
  steproll serve
  steproll serve --port 0 --scenario rehearsal.json
  steproll serve --path-prefix /runtime

A scenario:
  {
    "runtimes": [
      { "id": "shop", "version": 1, "endpoints": 12, "rollSeconds": 2 }
    ],
    "faults": [{ "endpoint": "endpoint-03", "version": 3, "kind": "stuck" }]
  }`;

const COMPLETION_HELP = `
Examples:
  source <(steproll completion bash)                 in ~/.bashrc
  source <(steproll completion zsh)                  in ~/.zshrc, after compinit
  steproll completion fish > ~/.config/fish/completions/steproll.fish`;
