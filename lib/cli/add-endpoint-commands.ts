import type { Command } from 'commander';
import { createCommand, listCommand, stopCommand, updateCommand } from './endpoint-commands.ts';

type Run = (given: Readonly<Record<string, unknown>>) => Promise<number>;
/** Makes the action of a command whose arguments have these names. */
export type ActionOf = (
  run: Run,
  ...argumentNames: string[]
) => (...args: unknown[]) => Promise<void>;

/** `agent runtime endpoint list|create|update|stop`: the four operations as the service has them. */
export function addEndpointCommands(program: Command, actionOf: ActionOf): void {
  const endpoint = program
    .command('agent')
    .description('Runtimes and their endpoints')
    .command('runtime')
    .description('Runtimes and their endpoints')
    .command('endpoint')
    .description('The endpoints of a runtime: list, create, update, stop');

  withCommonOptions(endpoint.command('list [id]'))
    .description('List the endpoints of a runtime, a page at a time.')
    .option('--page <n>', 'page, from 1; default 1')
    .option('--size <n>', 'endpoints a page; default 10')
    .option('--all', 'every page')
    .addHelpText('after', examples('list shop', 'list shop --all -o id', LIST_QUERY))
    .action(actionOf(listCommand, 'id'));

  withCommonOptions(endpoint.command('create [id]'))
    .description('Create an endpoint.')
    .option('--name <name>', 'its name (required)')
    .option('--version <n>', 'the version to serve; default: the service chooses')
    .addHelpText(
      'after',
      examples('create shop --name web-13', 'create shop --name web-14 --version 7'),
    )
    .action(actionOf(createCommand, 'id'));

  withCommonOptions(endpoint.command('update [id] [endpoint-id]'))
    .description('Roll one endpoint to a version.')
    .option('--version <n>', 'the version to roll to (required)')
    .addHelpText(
      'after',
      examples('update shop 3f2a --version 7', 'update shop 3f2a --version 7 -o json'),
    )
    .action(actionOf(updateCommand, 'id', 'endpoint-id'));

  withCommonOptions(endpoint.command('stop [id] [endpoint-id]'))
    .description('Stop one endpoint. There is no undo.')
    .addHelpText('after', examples('stop shop 3f2a', 'stop shop 3f2a --debug'))
    .action(actionOf(stopCommand, 'id', 'endpoint-id'));
}

const LIST_QUERY = `list shop --all -o json --query "endpoints[?status != 'ACTIVE'].name"`;

/** Options of every command that talks to a service. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--endpoint-url <url>', 'base URL of the service (or STEPROLL_ENDPOINT_URL)')
    .option('-o, --output <format>', 'table, json or id', 'table')
    .option('--query <jmespath>', 'pick from the result before it is printed')
    .option('--debug', 'print every request to stderr');
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  steproll agent runtime endpoint ${line}`).join('\n')}`;
}
