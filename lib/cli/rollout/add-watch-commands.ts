import type { Command } from 'commander';
import { COMMON_HELP } from '../help.ts';
import type { Runnable } from '../invocation.ts';
import { withGlobalOptions } from '../options/global-options.ts';
import { rolloutShow } from './rollout-show.ts';
import { rolloutWatch } from './rollout-watch.ts';

/** The commands that look at a rollout and never touch it. */
export function addWatchCommands(rollout: Command): Runnable[] {
  const watch = rollout
    .command('watch')
    .description('Watch a rollout until it ends. Never touches it.')
    .argument('[rollout-id]', 'the rollout (required)')
    .addHelpText('after', WATCH_HELP);
  const show = rollout
    .command('show')
    .description('Tell the story of a rollout: what was done, when and why.')
    .argument('[rollout-id]', 'the rollout (required)')
    .addHelpText('after', SHOW_HELP);
  return [
    [withGlobalOptions(watch), rolloutWatch],
    [withGlobalOptions(show), rolloutShow],
  ];
}

const WATCH_HELP = `
It ends with the exit code of the rollout. On a terminal it draws on stderr,
anywhere else it writes a line for each change; -o json writes a JSON object a
line to stdout, the result last. Ctrl-C detaches: the rollout goes on.

Examples:
  steproll rollout watch 4f1f9a52-0c7e-4a7e-9d3c-0d1d5f6c2b11
  steproll rollout watch 4f1f9a52-0c7e-4a7e-9d3c-0d1d5f6c2b11 --engine aws
  steproll rollout watch "$id" -o json | jq 'select(.kind=="event")'
${COMMON_HELP}`;

const SHOW_HELP = `
Who or what started it, the plan, every decision with its time and its reason,
what was written, and what became of each endpoint. -o json has the whole
record. It works while the rollout is under way, too.

Examples:
  steproll rollout show 4f1f9a52-0c7e-4a7e-9d3c-0d1d5f6c2b11
  steproll rollout show "$id" -o json --query "events[].message"
  steproll rollout show "$id" -o json --query "endpoints[?fate!='live'].name"
${COMMON_HELP}`;
