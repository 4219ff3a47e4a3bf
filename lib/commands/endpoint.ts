import type { CliCommand } from '../cli/options/global-options.ts';

/** `agent runtime endpoint list|create|update|stop`: the four operations as the service has them. */
export function addEndpointCommands(program: CliCommand): void {
  const endpoint = program
    .command('agent')
    .description('Runtimes and their endpoints')
    .command('runtime')
    .description('Runtimes and their endpoints')
    .command('endpoint')
    .description('The endpoints of a runtime: list, create, update, stop');
  endpoint
    .command('list')
    .description('List the endpoints of a runtime, a page at a time.')
    .argument('[id]', 'the runtime (required)')
    .option('--page <n>', 'page, from 1; default 1')
    .option('--size <n>', 'endpoints a page; default 10')
    .option('--all', 'every page')
    .does(helpFor('list shop', 'list shop --all -o id', LIST_QUERY), async (given) =>
      (await import('../cli/endpoint.ts')).listCommand(given),
    );
  endpoint
    .command('create')
    .yes()
    .description('Create an endpoint.')
    .argument('[id]', 'the runtime (required)')
    .option('--name <name>', 'its name (required)')
    .option('--version <n>', 'the version to serve; default: the service chooses')
    .does(
      helpFor('create shop --name web-13', 'create shop --name web-14 --version 7'),
      async (given) => (await import('../cli/endpoint.ts')).createCommand(given),
    );
  endpoint
    .command('update')
    .yes()
    .description('Roll one endpoint to a version.')
    .argument('[id]', 'the runtime (required)')
    .argument('[endpoint-id]', 'its name or id (required)')
    .option('--version <n>', 'the version to roll to (required)')
    .unpin()
    .does(helpFor('update shop web-3 --version 7', 'update -i', UPDATE_QUERY), async (given) =>
      (await import('../cli/endpoint.ts')).updateCommand(given),
    );
  endpoint
    .command('stop')
    .yes()
    .description('Stop one endpoint. There is no undo.')
    .argument('[id]', 'the runtime (required)')
    .argument('[endpoint-id]', 'its name or id (required)')
    .unpin()
    .does(helpFor('stop shop web-3', 'stop shop id:3f2a --yes'), async (given) =>
      (await import('../cli/endpoint.ts')).stopCommand(given),
    );
}

const LIST_QUERY = "list shop --query 'endpoints[].[name, status]'";
const UPDATE_QUERY = 'update shop id:3f2a --version 7 --query status';

function helpFor(...examples: string[]): string {
  const lines = examples.map((line) => `  steproll agent runtime endpoint ${line}`);
  return `\nExamples:\n${lines.join('\n')}`;
}
