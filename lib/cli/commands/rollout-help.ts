/** The end of the help of every command that calls a service. */
export const COMMON_HELP = `
Global options can be set in the environment (STEPROLL_ENDPOINT_URL,
STEPROLL_REGION, ...), in a profile or in the configuration that --config names;
docs/cli.md has the table. STEPROLL_TOKEN holds a bearer token.

Exit codes: 0 done, 1 the answer is no, 2 bad input, 3 could not know,
130 interrupted.`;

// These are the ends of the help texts of the rollout commands: what the options do not say, and examples.

const ID = '4f1f9a52-0c7e-4a7e-9d3c-0d1d5f6c2b11';

const POLICY_HELP = `
Durations are seconds, or a number with a unit: 0, 30, 5m, 12h. What is not
given is as in the policy of the configuration that --config names; on AWS as in
the policy that is deployed.

Waves are cumulative: 1,25%,100%. A wave may be named, name:canary-*, and have
a bake of its own, 1@1h. Presets: all-at-once, canary, linear, careful.`;

export const PLAN_HELP = `${POLICY_HELP}

How long it will take is learned from the rollouts of this runtime that have
succeeded. The list is read from here with any engine, and the policy is the one
of this machine: --endpoint-url says where, --engine whose history.

Examples:
  steproll rollout plan shop --version 7
  steproll rollout plan shop --version 7 --select 'web-*' --preset canary
  steproll rollout start shop --version 7 --yes \\
    --plan "$(steproll rollout plan shop --version 7 -o id)"
${COMMON_HELP}`;

export const START_HELP = `${POLICY_HELP}

On failure:
  stop-old   stop the endpoints that this rollout rolled and that are not live
             on the version
  roll-back  roll what this rollout rolled back to the versions before
  hold       leave every endpoint as it is

With the engine embedded the rollout runs in this process: Ctrl-C ends it. With
the engine aws it goes on by itself: Ctrl-C ends the watching only, and without
a terminal --watch or --detach has to be said.

Examples:
  steproll rollout start shop --version 7 --profile prod
  steproll rollout start shop --version-from staging --on-failure roll-back
  steproll rollout start shop --version 7 --waves 1@10m,10%,50%,100%
  steproll rollout start shop --version 7 --yes -o json | jq .outcome
  steproll rollout start shop --version 7 --engine aws --yes --detach -o id

History and locks are kept in STEPROLL_STATE_DIR; default
~/.local/state/steproll.
${COMMON_HELP}`;

export const RETRY_HELP = `
It goes to the same version with the same policy; deployment windows and freezes
are those of now. What is on the version by now is left alone. A rollout that
has succeeded or is under way is refused. With the engine aws and without a
terminal --watch or --detach has to be said.

Examples:
  steproll rollout retry ${ID}
  steproll rollout retry ${ID} \\
    --engine aws --yes --watch
${COMMON_HELP}`;

export const RESUME_HELP = `
It goes on where the ledger has it, with the policy that it was started with.
The id is in the first line that the start wrote on stderr. A rollout whose
process still runs is refused, and so is one that was planned for another
endpoint URL, unless --moved is said. On AWS nothing has to be resumed.

Examples:
  steproll rollout resume ${ID} --profile prod
  steproll rollout resume ${ID} -o json
${COMMON_HELP}`;

export const LIST_HELP = `
Examples:
  steproll rollout list
  steproll rollout list shop --limit 5 --engine aws
  steproll rollout list shop --query "[?outcome=='Failed'].rolloutId" -o id
${COMMON_HELP}`;

export const ABORT_HELP = `
It ends at its next look at the list. From now on no write begins but those that
--on-abort asks for; what is in flight is finished. A rollout that has not begun
is ended at once.

What becomes of what it rolled, with --on-abort:
  hold       every endpoint stays as it is
  roll-back  it goes back to the versions before
  stop-old   what is not live on the version is stopped; there is no undo

In the midst of stops the rest is not stopped, unless it is stop-old. A way back
that is under way ends there, unless it is roll-back.

Examples:
  steproll rollout abort ${ID}
  steproll rollout abort ${ID} \\
    --on-abort roll-back --reason 'errors in checkout'
  steproll rollout abort ${ID} --engine aws --yes
${COMMON_HELP}`;

export const APPROVE_HELP = `
A wave waits for approval where the policy says so, after its bake and its other
gates, and only if another wave follows. --wave makes sure that it is the one
that you have looked at.

Examples:
  steproll rollout approve ${ID}
  steproll rollout approve ${ID} --wave 1 \\
    --reason 'looked at by QA'
${COMMON_HELP}`;

export const REJECT_HELP = `
What becomes of what the rollout rolled is as in its policy, or as --on-failure
says: stop-old, roll-back or hold.

Examples:
  steproll rollout reject ${ID} \\
    --reason 'too slow'
  steproll rollout reject ${ID} --wave 1 \\
    --on-failure roll-back
${COMMON_HELP}`;
