import { Option } from 'commander';
import type { CliCommand } from '../cli/options/global-options.ts';
import { OUTCOME_KINDS } from '../domain/rollout/outcome.ts';
import { FAILURE_POLICIES } from '../domain/rollout/policy.ts';
import { ABORT } from '../domain/signals/abort.ts';
import { namesWave } from '../domain/signals/signal-kind.ts';
import { PERSONAL_SIGNALS } from '../domain/signals/signals.ts';
import { addPauseCommands } from './hold.ts';
import {
  helpOfSignal,
  LIST_HELP,
  PLAN_HELP,
  RESUME_HELP,
  RETRY_HELP,
  REVERT_HELP,
  START_HELP,
} from './rollout-help.ts';

export function addRolloutCommands(program: CliCommand): void {
  const rollout = program.command('rollout').description('Rollouts of a runtime');
  addStartCommands(rollout);
  addWatchCommands(rollout);
  addSignalCommands(rollout);
  addPauseCommands(rollout);
}

function addStartCommands(rollout: CliCommand): void {
  withVersions(rollout.command('plan').ofVersion().ofGroup())
    .description('Show what a rollout would do and how long it would take. Changes nothing.')
    .again()
    .unpin()
    .policyOptions()
    .does(PLAN_HELP, async (given) => (await import('../cli/rollout/plan.ts')).rolloutPlan(given));
  withStart(withVersions(rollout.command('start').ofVersion().ofGroup()))
    .description('Roll the endpoints of a runtime to a version, and watch.')
    .option('--plan <fingerprint>', 'only if the plan is still the one that was shown')
    .policyOptions()
    .does(START_HELP, async (given) =>
      (await import('../cli/rollout/start.ts')).rolloutStart(given),
    );
  withStart(rollout.command('retry').ofRollout())
    .description('Start a new rollout for the endpoints that a failed one has left.')
    .anyTime()
    .does(RETRY_HELP, async (given) =>
      (await import('../cli/rollout/retry.ts')).rolloutRetry(given),
    );
  withStart(rollout.command('revert').ofRollout())
    .description('Start a new rollout that undoes one: back to the versions before.')
    .does(REVERT_HELP, async (given) =>
      (await import('../cli/rollout/revert.ts')).rolloutRevert(given),
    );
  rollout
    .command('resume')
    .ofRollout()
    .yes()
    .description('Take a rollout whose process died to its end.')
    .option(
      '--moved',
      'the service has moved to this endpoint URL: its endpoints are the same ones',
    )
    .does(RESUME_HELP, async (given) =>
      (await import('../cli/rollout/resume.ts')).rolloutResume(given),
    );
}

/** The commands that send a signal to a rollout under way, one for each kind that people send. */
function addSignalCommands(rollout: CliCommand): void {
  for (const kind of PERSONAL_SIGNALS.toSorted((one, other) => (one.kind < other.kind ? -1 : 1))) {
    const { description, policy } = kind.command;
    const command = rollout.command(kind.kind).ofRollout().reason().description(description);
    if (namesWave(kind)) {
      command.option(
        '--wave <n>',
        `only if it is this wave that ${kind.endsBake ? 'bakes' : 'waits'}`,
      );
    }
    if (kind.endsBake) command.option('--full', 'the bakes of all waves that follow, too');
    if (policy !== undefined) {
      const option = new Option(`${policy.option} <policy>`, policy.help);
      command.addOption(option.choices(FAILURE_POLICIES));
    }
    command.does(
      helpOfSignal(kind.command),
      kind.kind === ABORT.kind
        ? async (given) => (await import('../cli/rollout/abort.ts')).rolloutAbort(given)
        : async (given) => (await import('../cli/rollout/signal.ts')).rolloutSignal(kind, given),
    );
  }
}

function withVersions(command: CliCommand): CliCommand {
  return command.option(
    '--versions <file>',
    'JSON: the version of each runtime of the group, by its id',
  );
}

function withStart(command: CliCommand): CliCommand {
  return command
    .reason()
    .option('--watch', 'watch it; default on a terminal')
    .option('--detach', 'print its id and leave it; engine aws only')
    .again()
    .option('--take-over', 'even if somebody else is rolling its endpoints')
    .unpin();
}

/** The commands that show rollouts and never touch them. */
function addWatchCommands(rollout: CliCommand): void {
  const ofRuntime = [
    '--runtime <id>',
    'of a group: instead of its rollout, that of this runtime',
  ] as const;
  rollout
    .command('watch')
    .description('Watch a rollout until it ends. Never touches it.')
    .ofRollout()
    .option(...ofRuntime)
    .does(WATCH_HELP, async (given) =>
      (await import('../cli/rollout/watch.ts')).rolloutWatch(given),
    );
  rollout
    .command('show')
    .description('Tell the story of a rollout: what was done, when and why.')
    .ofRollout()
    .option(...ofRuntime)
    .does(SHOW_HELP, async (given) => (await import('../cli/rollout/show.ts')).rolloutShow(given));
  rollout
    .command('list')
    .description('List the newest rollouts, and how they ended.')
    .argument('[runtime-id]', 'only rollouts of this runtime')
    .option('--group <name>', 'only rollouts of this group, and of its runtimes')
    .option('--limit <n>', 'at most so many; default 20')
    .addOption(new Option('--outcome <outcome>', 'only those that ended so').choices(OUTCOME_KINDS))
    .does(LIST_HELP, async (given) => (await import('../cli/rollout/list.ts')).rolloutList(given));
}

const WATCH_HELP = `
It ends with the exit code of the rollout. On a terminal it draws on stderr,
anywhere else it writes a line for each change; -o json writes a JSON object a
line to stdout, the result last. Ctrl-C detaches: the rollout goes on.

Examples:
  steproll rollout watch shop-v2-3f9a
  steproll rollout watch shop-v2-3f9a --engine aws
  steproll rollout watch "$id" --runtime tenant-a
  steproll rollout watch "$id" -o json | jq 'select(.kind=="event")'`;

const SHOW_HELP = `
Who or what started it, the plan, every decision with its time and its reason,
what was written, and what became of each endpoint. -o json has the whole
record. It works while the rollout is under way, too.

Examples:
  steproll rollout show shop-v2-3f9a
  steproll rollout show "$id" -o json --query "events[].message"
  steproll rollout show "$id" -o json --query "endpoints[?fate!='live'].name"`;

/** `release publish`: announces a release from the command line, as a release pipeline would. */
export function addReleaseCommands(program: CliCommand): void {
  program
    .command('release')
    .description('Releases of a runtime or a group')
    .command('publish')
    .yes()
    .description('Announce a version, so that a listener or a stack rolls it.')
    .argument('[runtime-id]', 'the runtime (required without --group)')
    .ofGroup()
    .option('--version <n>', 'the version that is there, or latest (required)')
    .option('--release-id <id>', 'your own name for the release; default: a new one')
    .option('--wait', 'watch the rollout that it starts, and end with its exit code')
    .does(PUBLISH_HELP, async (given) =>
      (await import('../cli/rollout/publish.ts')).releasePublish(given),
    );
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
  steproll release publish shop --version 7 --engine aws --wait -o json`;

/** `drift`: endpoints that are elsewhere than the last good rollout has brought them. */
export function addDriftCommand(program: CliCommand): void {
  program
    .command('drift')
    .description('Show which endpoints have left the version of the last good rollout.')
    .argument('[runtime-id]', 'the runtime; default: each of the configuration and of the history')
    .does(DRIFT_HELP, async (given) => (await import('../cli/drift.ts')).showDrift(given));
}

/** `report`: what one shift hands over to the next. */
export function addReportCommand(program: CliCommand): void {
  program
    .command('report')
    .description('Tell what happened since a time, and what is under way, to hand it over.')
    .option('--since <time>', 'for how long (8h), a time of day (22:00Z), or a time (required)')
    .does(REPORT_HELP, async (given) => (await import('../cli/report.ts')).showReport(given));
}

const REPORT_HELP = `
It only reads the ledger: what wants somebody, what is under way and when it
ends, what is or was held, and how each rollout ended, as text to paste. It
looks through the newest 1,000 rollouts, and says so if there are more.

Examples:
  steproll report --since 22:00Z
  steproll report --since 8h -o json --query "ended[?outcome=='Failed'].rolloutId"
  steproll report --since 2026-12-24T22:00+01:00 --engine aws`;

const DRIFT_HELP = `
It only reads: the list of each runtime, and the history of the engine. A
version in quarantine, an endpoint that is stopped or pinned, and a rollout
under way are no drift.
Exits with 1 when something has drifted, and with 3 when a list cannot be read.

Examples:
  steproll drift shop
  steproll drift --config steproll.config.json -o json
  steproll drift --engine aws`;
