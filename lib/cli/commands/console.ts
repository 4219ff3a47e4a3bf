import type { Command } from 'commander';
import type { Runnable } from '../invocation/invocation.ts';
import { withGlobalOptions } from '../options/global-options.ts';
import { COMMON_HELP } from './rollout-help.ts';

export function addConsoleCommand(program: Command): Runnable[] {
  const command = program
    .command('console')
    .description('Show the rollouts in a browser, on this machine.')
    .option('--port <n>', 'port; 0 takes a free one; default 8070')
    .addHelpText('after', CONSOLE_HELP);
  return [
    [
      withGlobalOptions(command),
      async (given) => (await import('../console/console.ts')).openConsole(given),
    ],
  ];
}

const CONSOLE_HELP = `
It serves on the loopback address until Ctrl-C, and prints the link to open to
stdout. The link has a token: whoever has it may do what you may do. Rollouts
are read, approved, rejected, aborted and retried with your rights. A retry on
this machine and a rehearsal call the service at --endpoint-url.

Examples:
  steproll console
  steproll console --port 0
  steproll console --engine aws --stack Steproll
${COMMON_HELP}`;
