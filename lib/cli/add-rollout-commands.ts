import { type Command, Option } from 'commander';
import { FAILURE_POLICIES } from '../domain/policy.ts';
import { withGlobalOptions } from './global-options.ts';
import { COMMON_HELP } from './help.ts';
import type { Runnable } from './invocation.ts';
import { rolloutStart } from './rollout-start.ts';

export function addRolloutCommands(program: Command): Runnable[] {
  const rollout = program.command('rollout').description('Rollouts of a runtime');
  const start = rollout
    .command('start')
    .description('Roll the endpoints of a runtime to a version and watch until it is done.')
    .argument('[runtime-id]', 'the runtime (required)')
    .option('--version <n>', 'the version to roll to (required)')
    .option('--waves <sizes>', 'cumulative wave sizes; default 1,25%,100%')
    .option('--max-unavailable <size>', 'most endpoints in mid-roll at once; default 33%')
    .option('--bake <duration>', 'wait before a wave is trusted; default 5m')
    .option('--progress-deadline <duration>', 'fail a wave without progress; default 10m')
    .option('--poll <duration>', 'time between two reads of the list, at least 1s; default 5s')
    .addOption(new Option('--on-failure <policy>', 'default stop-old').choices(FAILURE_POLICIES))
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', START_HELP);
  return [[withGlobalOptions(start), rolloutStart]];
}

const START_HELP = `
Durations are seconds, or a number with a unit: 0, 30, 5m, 12h. What is not
given is as in the policy of steproll.config.json, if it is there.

On failure:
  stop-old  stop the endpoints that this rollout rolled and that are not live on
            the version
  hold      leave every endpoint as it is
  (roll-back is not there yet)

Examples:
  steproll rollout start shop --version 7 --profile prod
  steproll rollout start shop --version 7 --waves 1,10%,50%,100% --bake 10m
  steproll rollout start shop --version 7 --yes -o json | jq .outcome

History and locks are kept in STEPROLL_STATE_DIR; default
~/.local/state/steproll.
${COMMON_HELP}`;
