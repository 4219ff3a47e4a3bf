import { type Command, Option } from 'commander';

import { PRESET_NAMES } from '../../domain/rollout/default-policy.ts';
import { CONFLICT_POLICIES, FAILURE_POLICIES } from '../../domain/rollout/policy.ts';

export function withPolicyOptions(command: Command): Command {
  const options = [
    new Option('--preset <name>', 'waves, limits and bakes that go together').choices(PRESET_NAMES),
    new Option('--select <names>', 'only endpoints of these names or ids: endpoint-0*'),
    new Option('--exclude <names>', 'but not these names or ids'),
    new Option('--waves <waves>', 'cumulative sizes or names; default 1,25%,100%'),
    new Option('--max-unavailable <size>', 'most endpoints in mid-roll at once; default 33%'),
    new Option(
      '--failure-threshold <size>',
      'endpoints of a wave that may fail or vanish, but not be stuck; default 0',
    ),
    new Option('--bake <duration>', 'wait before a wave is trusted; default 5m'),
    new Option('--progress-deadline <duration>', 'fail a wave without progress; default 10m'),
    new Option('--poll <duration>', 'time between two reads of the list; default 5s to 30s'),
    new Option('--on-failure <policy>', 'default stop-old, or roll-back of a bad version').choices(
      FAILURE_POLICIES,
    ),
    new Option('--allow-downgrade', 'also roll to a version below the live one'),
    new Option('--max-version-step <n>', 'most above the highest live version; default 1000'),
    anyTimeOption(),
    new Option('--on-conflict <policy>', 'default refuse').choices(CONFLICT_POLICIES),
  ];
  for (const option of options) command.addOption(option.helpGroup('How it is done:'));
  return command;
}

/** What every command takes that is about a rollout that could be started. */
export function withVersion(command: Command): Command {
  return command
    .argument('[runtime-id]', 'the runtime (required)')
    .option('--version <n>', 'the version to roll to; latest: the newest one')
    .option('--version-from <endpoint>', 'the version that is live there, instead of --version');
}

export function anyTimeOption(): Option {
  return new Option('--any-time', 'start outside of deployment windows and freezes too');
}
