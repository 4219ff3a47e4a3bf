import type { Command } from 'commander';
import type { Runnable } from '../invocation/invocation.ts';
import { withGlobalOptions } from '../options/global-options.ts';
import { COMMON_HELP } from './rollout-help.ts';

export function addListenCommand(program: Command): Runnable[] {
  const command = program
    .command('listen')
    .description('Start rollouts from releases and schedules, on this machine.')
    .option('--port <n>', 'port; 0 takes a free one; default 8090')
    .addHelpText('after', LISTEN_HELP);
  return [
    [
      withGlobalOptions(command),
      async (given) => (await import('../local/listen.ts')).listen(given),
    ],
  ];
}

const LISTEN_HELP = `
It runs until Ctrl-C or SIGTERM. Then it finishes the current steps and leaves
the rollouts open; the next listener goes on with them. In the configuration
that --config names, runtimes has the runtimes that triggers may roll, and
triggers has schedules and other systems' releases. Events of rollouts go to
stdout, one per line; everything else goes to stderr.

Examples:
  steproll listen --config steproll.config.json
  steproll listen --config /etc/steproll/steproll.config.json --port 8091
  steproll release publish shop --version 7
${COMMON_HELP}`;

export function addServeCommand(program: Command): Runnable[] {
  const command = program
    .command('serve')
    .description('Serve an embedded endpoint service on the loopback address, to try things out.')
    .option('--port <n>', 'port; 0 takes a free one; default 8080')
    .option('--scenario <file>', 'JSON with runtimes, endpoints and faults; default 12 endpoints')
    .option('--path-prefix <path>', 'path before /agent-runtimes, such as /runtime')
    .addHelpText('after', SERVE_HELP);
  return [[command, async (given) => (await import('../local/serve.ts')).serve(given)]];
}

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
