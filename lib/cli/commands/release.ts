import type { Command } from 'commander';
import type { Runnable } from '../invocation/invocation.ts';
import { withGlobalOptions, withYes } from '../options/global-options.ts';
import { COMMON_HELP } from './rollout-help.ts';

/** `release publish`: announces a release from the command line, as a release pipeline would. */
export function addReleaseCommands(program: Command): Runnable[] {
  const release = program.command('release').description('Releases of a runtime or a group');
  const publish = withYes(release.command('publish'))
    .description('Announce a version, so that a listener or a stack rolls it.')
    .argument('[runtime-id]', 'the runtime (required without --group)')
    .option('--group <name>', 'a group of the configuration, instead of a runtime')
    .option('--version <n>', 'the version that is there, or latest (required)')
    .option('--release-id <id>', 'your own name for the release; default: a new one')
    .option('--wait', 'watch the rollout that it starts, and end with its exit code')
    .addHelpText('after', PUBLISH_HELP);
  return [
    [
      withGlobalOptions(publish),
      async (given) => (await import('../rollout/publish.ts')).releasePublish(given),
    ],
  ];
}

const PUBLISH_HELP = `
On AWS the release goes to the event bus of the stack, on one machine to
"steproll listen". How the rollout is done is configured there. -o id prints the
id of the rollout that the release starts. A release that is refused ends with
1. With --wait and the engine aws it ends with 3 when the release has started no
rollout within a minute; then the stack has refused it, or still works on it.

Examples:
  steproll release publish shop --version 7
  steproll release publish shop --version 7 --wait
  steproll release publish --group prod --version 7
  steproll release publish shop --version 7 --release-id build-1234 --engine aws
  steproll release publish shop --version 7 --engine aws --wait -o json
${COMMON_HELP}`;
