import { Argument, Option } from 'commander';
import type { CliCommand } from '../cli/options/global-options.ts';
import { GO_BACK, HOLD_KINDS, type HoldKind, PAUSE } from '../domain/holds/hold.ts';

export function addHoldCommands(program: CliCommand): void {
  const hold = program.command('hold').description('Hold back: freeze, pause, quarantine, pin');
  withUntil(hold.command('add'))
    .description('Hold rollouts back, until it is lifted or its end comes.')
    .addArgument(new Argument('[kind]', 'what it does (required)').choices(HOLD_KINDS))
    .argument('[scope]', 'a runtime, or group:NAME; default everything')
    .option('--endpoint <endpoint>', 'of a pin: its name or id; id:ID asks no list')
    .option('--version <n>', 'of a quarantine: the version of the runtime')
    .addOption(
      new Option(
        '--under-way <what>',
        'of a quarantine: what happens to what is under way to the version; default pause',
      ).choices([PAUSE, GO_BACK]),
    )
    .does(ADD_HELP, async (given) => (await import('../cli/hold/add.ts')).holdAdd(given));
  hold
    .command('list')
    .description('List the holds: whose they are, why, until when.')
    .does(LIST_HELP, async (given) => (await import('../cli/hold/list.ts')).holdList(given));
  withForce(hold.command('lift'))
    .description('Lift a hold before its end.')
    .argument('[hold-id]', 'the hold (required)')
    .does(LIFT_HELP, async (given) => (await import('../cli/hold/lift.ts')).holdLift(given));
}

/** The short ways to hold one rollout. */
export function addPauseCommands(rollout: CliCommand): void {
  withUntil(rollout.command('pause').ofRollout())
    .description('Pause a rollout: no further wave and no further roll begins.')
    .does(PAUSE_HELP, async (given) => (await import('../cli/hold/add.ts')).rolloutPause(given));
  withForce(rollout.command('unpause').ofRollout())
    .description('Let a paused rollout go on.')
    .does(UNPAUSE_HELP, async (given) =>
      (await import('../cli/hold/lift.ts')).rolloutUnpause(given),
    );
}

function withUntil(command: CliCommand): CliCommand {
  return command
    .yes()
    .option('--until <time>', 'for how long (2h), or a time; at most 7 days (required)')
    .option('--reason <text>', 'why, for everybody whom it holds (required)');
}

function withForce(command: CliCommand): CliCommand {
  return command
    .yes()
    .option('--reason <text>', 'why (required)')
    .option('--force', 'even if it is the hold of somebody else');
}

/** What each kind does, in lines that fit. */
const DOES: Readonly<Record<HoldKind, string>> = {
  freeze: `  freeze   nothing starts; what runs goes on, unless windows bind its
           rolls; of one runtime at most 90d`,
  pause: '  pause    what runs begins no further wave and no further roll',
  quarantine: `  quarantine
           nothing starts to this version of this runtime, except with
           --again; what is under way to it begins no further roll, or
           goes back with --under-way go-back`,
  unlock: '  unlock   --any-time passes windows and freezes that are locked; at most 4h',
  pin: `  pin      rollouts neither roll the endpoint forward nor stop it; no --until:
           it stays until it is lifted`,
};

const ADD_HELP = `
${HOLD_KINDS.map((kind) => DOES[kind]).join('\n')}

An abort, a rollback, the stops of a failure and a revert are never held.
docs/holds.md says the rest.

Examples:
  steproll hold add freeze --until 2h --reason 'patching the hosts'
  steproll hold add pause shop --until 30m --reason 'errors in checkout'
  steproll hold add quarantine shop --version 8 --until 7d --reason 'leaks'
  steproll hold add unlock shop --until 1h --reason 'security fix'
  steproll hold add pin shop --endpoint web-3 --reason 'debugging'
  steproll hold add freeze group:prod --until 2026-12-24T18:00Z \\
    --reason 'exercise' --yes`;

const LIST_HELP = `
-o json also has those that were lifted, as long as their end has not come.

Examples:
  steproll hold list
  steproll hold list --engine aws -o json --query "[?kind=='pause'].id"`;

const LIFT_HELP = `
Examples:
  steproll hold lift 4f1f9a52 --reason 'done'
  steproll hold lift 4f1f9a52 --reason 'ann has gone home' --force --yes`;

const PAUSE_HELP = `
Its bakes and gates go on, and a failing gate is followed. Its deadlines and the
time for an approval are paused. Of a group it also pauses the rollouts of its
runtimes.

Examples:
  steproll rollout pause ID --until 30m --reason 'looking at a graph'
  steproll rollout pause ID --until 2h --reason 'lunch' --yes --engine aws`;

const UNPAUSE_HELP = `
It lifts every pause of this one rollout. A pause of its runtime, of its group
or of everything stays: "steproll hold lift" lifts that.

Examples:
  steproll rollout unpause ID --reason 'looks good'
  steproll rollout unpause ID --reason 'ann is away' --force --yes`;
