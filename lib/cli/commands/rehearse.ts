import { type Command, Option } from 'commander';
import type { Runnable } from '../invocation/invocation.ts';
import { withGlobalOptions } from '../options/global-options.ts';
import { withPolicyOptions, withVersion } from '../options/policy-options.ts';
import { COMMON_HELP } from './rollout-help.ts';

export function addRehearseCommand(program: Command): Runnable[] {
  const command = withVersion(program.command('rehearse'))
    .description('Rehearse a rollout in virtual time, once or a thousand times. Changes nothing.')
    .option('--scenario <file>', 'a fleet with its faults, instead of the one that is listed now')
    .option('--runs <n>', 'rehearse so many times, each time with other faults')
    .option('--seed <n>', 'the seed of the faults, with --runs that of the first ones; default 1')
    .addOption(
      new Option(
        '--faults <how>',
        'how much goes wrong; default few with --runs or --seed',
      ).choices(['few', 'many']),
    )
    .option('--against <file>', 'compare with the policy of this configuration, or a preset')
    .addHelpText('after', REHEARSE_HELP);
  return [
    [
      withGlobalOptions(withPolicyOptions(command)),
      async (given) => (await import('../rehearsal/rehearse.ts')).rehearseRollout(given),
    ],
  ];
}

const REHEARSE_HELP = `
The real workflow runs on a simulated service, and no time passes. The service
of --endpoint-url is only asked for its list of endpoints, and with --scenario
nothing is asked. Deployment windows and freezes are left out.

One rehearsal is told as a story, and has the exit code that the rollout would
have. Without --seed and --faults nothing goes wrong but what a scenario says.
With --runs, each rehearsal has a seed of its own, and the same seed shows it
again as a story. With --against, both policies meet the same faults.

Examples:
  steproll rehearse shop --version 7
  steproll rehearse shop --version 7 --runs 1000 --faults many
  steproll rehearse shop --version 7 --seed 412 --faults many
  steproll rehearse shop --version 7 --runs 1000 --against careful
  steproll rehearse shop --version 2 --scenario fleet.json -o json
${COMMON_HELP}`;
