import type { SignalCommand } from '../domain/signals/signal-kind.ts';

// These are the ends of the help texts of the rollout commands: what the options do not say, and examples.

const ID = 'shop-v2-3f9a';

const POLICY_HELP = `
Durations are seconds, or a number with a unit: 0, 30, 5m, 12h. Options that
are left out have their values from the policy in the configuration that
--config names.

Waves are cumulative: 1,25%,100%. A wave may be a name, name:canary-*, and may
have its own bake time, 1@1h. Presets: all-at-once, canary, linear, careful.`;

export const PLAN_HELP = `${POLICY_HELP}

The list is read from this machine: at --endpoint-url, or with --engine aws at
the URL of the stack if none is given. The policy is that of --config on this
machine with both engines, not the deployed one. The estimate is learned from
past rollouts of the runtime that succeeded, in the history of the engine.

Examples:
  steproll rollout plan shop --version 7
  steproll rollout plan shop --version 7 --select 'endpoint-0*' --preset canary
  steproll rollout start shop --version 7 --yes \\
    --plan "$(steproll rollout plan shop --version 7 -o id)"`;

export const START_HELP = `${POLICY_HELP}

With the engine aws the policy is the one that is deployed, and not --config's.

On failure:
  stop-old   stop the endpoints that this rollout rolled and that are not live
             on the version
  roll-back  take the endpoints that this rollout rolled back to their previous
             versions
  hold       leave every endpoint as it is

With the engine embedded the rollout runs in this process: Ctrl-C ends it. With
the engine aws it goes on by itself: Ctrl-C ends only the watching, and without
a terminal --watch or --detach is required.

Examples:
  steproll rollout start shop --version 7 --profile prod
  steproll rollout start shop --version-from staging --on-failure roll-back
  steproll rollout start shop --version latest --preset canary
  steproll rollout start shop --version 7 --waves 1@10m,10%,50%,100%
  steproll rollout start shop --version 7 --yes -o json | jq .outcome
  steproll rollout start shop --version 7 --engine aws --yes --detach -o id

History and locks are kept in STEPROLL_STATE_DIR; default
~/.local/state/steproll.`;

export const RETRY_HELP = `
It goes to the same version with the same policy, but with today's deployment
windows and freezes. Endpoints that are on the version by now are left alone,
and so are those that were stopped: of a stop there is no way back. A rollout
that has succeeded or is under way is refused. With the engine aws and without a
terminal --watch or --detach is required.

Examples:
  steproll rollout retry ${ID}
  steproll rollout retry ${ID} \\
    --engine aws --yes --watch`;

export const REVERT_HELP = `
What that rollout rolled goes back to the versions that its plan recorded, in
the waves of the policy of today. Nothing bakes, no gate is asked, and windows
and freezes do not hold. An endpoint is left alone that is back already, that
was stopped, or that the list shows elsewhere by now. What cannot go back stays
as it is. A rollout that is under way is refused: abort it with --on-abort
roll-back. With the engine aws and without a terminal --watch or --detach is
required.

Examples:
  steproll rollout revert ${ID}
  steproll rollout revert ${ID} \\
    --engine aws --yes --watch`;

export const RESUME_HELP = `
It goes on from the state in the ledger, with the policy that it was started
with. The id is in the first line that the start wrote on stderr. A rollout
whose process still runs is refused, and so is one that was planned for another
endpoint URL, unless --moved is given. On AWS nothing has to be resumed.

Examples:
  steproll rollout resume ${ID} --profile prod
  steproll rollout resume ${ID} -o json`;

export const LIST_HELP = `
Examples:
  steproll rollout list
  steproll rollout list shop --limit 5 --engine aws
  steproll rollout list shop --outcome Failed -o id`;

/** The end of the help of a command that sends a signal. */
export function helpOfSignal({ help }: SignalCommand): string {
  return help.replaceAll(/\bID\b/g, ID);
}
