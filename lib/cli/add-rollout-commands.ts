import type { Command } from 'commander';
import { withGlobalOptions } from './global-options.ts';
import { COMMON_HELP } from './help.ts';
import type { Runnable } from './invocation.ts';
import { withPolicyOptions } from './policy-options.ts';
import { rolloutPlan } from './rollout-plan.ts';
import { rolloutResume } from './rollout-resume.ts';
import { rolloutStart } from './rollout-start.ts';

export function addRolloutCommands(program: Command): Runnable[] {
  const rollout = program.command('rollout').description('Rollouts of a runtime');

  const plan = withVersion(rollout.command('plan'))
    .description('Show what a rollout would do. Changes nothing.')
    .addHelpText('after', PLAN_HELP);

  const start = withVersion(rollout.command('start'))
    .description('Roll the endpoints of a runtime to a version and watch until it is done.')
    .option('--plan <fingerprint>', 'only if the plan is still the one that was shown')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', START_HELP);

  const resume = rollout
    .command('resume')
    .description('Take a rollout whose process died to its end.')
    .argument('[rollout-id]', 'the rollout (required)')
    .addHelpText('after', RESUME_HELP);

  return [
    [withGlobalOptions(withPolicyOptions(plan)), rolloutPlan],
    [withGlobalOptions(withPolicyOptions(start)), rolloutStart],
    [withGlobalOptions(resume), rolloutResume],
  ];
}

function withVersion(command: Command): Command {
  return command
    .argument('[runtime-id]', 'the runtime (required)')
    .option('--version <n>', 'the version to roll to')
    .option('--version-from <endpoint>', 'the version that is live there, instead of --version');
}

const POLICY_HELP = `
Durations are seconds, or a number with a unit: 0, 30, 5m, 12h. What is not
given is as in the policy of steproll.config.json, if it is there.

Waves are cumulative: 1,25%,100%. A wave may be named, name:canary-*, and have
a bake of its own, 1@1h. Presets: all-at-once, canary, linear, careful.`;

const PLAN_HELP = `${POLICY_HELP}

Examples:
  steproll rollout plan shop --version 7
  steproll rollout plan shop --version 7 --select 'web-*' --preset canary
  steproll rollout start shop --version 7 --yes \\
    --plan "$(steproll rollout plan shop --version 7 -o id)"
${COMMON_HELP}`;

const START_HELP = `${POLICY_HELP}

On failure:
  stop-old   stop the endpoints that this rollout rolled and that are not live
             on the version
  roll-back  roll what this rollout rolled back to the versions before
  hold       leave every endpoint as it is

Examples:
  steproll rollout start shop --version 7 --profile prod
  steproll rollout start shop --version-from staging --on-failure roll-back
  steproll rollout start shop --version 7 --waves 1@10m,10%,50%,100%
  steproll rollout start shop --version 7 --yes -o json | jq .outcome

History and locks are kept in STEPROLL_STATE_DIR; default
~/.local/state/steproll.
${COMMON_HELP}`;

const RESUME_HELP = `
It goes on where the ledger has it, with the policy that it was started with.
The id is in the first line that the start wrote on stderr. A rollout whose
process still runs is refused.

Examples:
  steproll rollout resume 4f1f9a52-0c7e-4a7e-9d3c-0d1d5f6c2b11 --profile prod
  steproll rollout resume 4f1f9a52-0c7e-4a7e-9d3c-0d1d5f6c2b11 -o json
${COMMON_HELP}`;
