import type { Command } from 'commander';
import type { Runnable } from '../invocation/invocation.ts';
import { withGlobalOptions } from '../options/global-options.ts';
import { COMMON_HELP } from './rollout-help.ts';

/** `config check`: tries a configuration before anything rolls. */
export function addConfigCommands(program: Command): Runnable[] {
  const check = program
    .command('config')
    .description('The configuration of rollouts')
    .command('check')
    .description('Try a configuration before anything rolls. Only reads.')
    .argument('[file]', 'the configuration; the same as --config')
    .option('--runtime <ids>', 'only these runtimes: shop,cart; default: all in the configuration')
    .addHelpText('after', CHECK_HELP);
  return [
    [
      withGlobalOptions(check),
      async (given) => (await import('../config/check.ts')).configCheck(given),
    ],
  ];
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
  steproll config check --runtime shop --endpoint-url http://127.0.0.1:8080
${COMMON_HELP}`;
