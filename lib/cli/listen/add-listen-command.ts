import type { Command } from 'commander';
import { COMMON_HELP } from '../help.ts';
import type { Runnable } from '../invocation.ts';
import { withGlobalOptions } from '../options/global-options.ts';
import { listen } from './listen.ts';

export function addListenCommand(program: Command): Runnable[] {
  const command = program
    .command('listen')
    .description('Start rollouts from releases and schedules, on this machine.')
    .option('--port <n>', 'port; 0 takes a free one; default 8090')
    .addHelpText('after', LISTEN_HELP);
  return [[withGlobalOptions(command), listen]];
}

const LISTEN_HELP = `
It runs until Ctrl-C or SIGTERM, finishes the steps that are under way and
leaves the rollouts open; the next listener goes on with them. What triggers may
roll is in runtimes of the configuration that --config names, schedules and
other systems' releases in triggers. What becomes of rollouts goes to stdout, an
event a line; everything else to stderr.

Examples:
  steproll listen --config steproll.config.json
  steproll listen --config /etc/steproll/steproll.config.json --port 8091
  steproll release publish shop --version 7
${COMMON_HELP}`;
