import type { Command } from 'commander';

// What people type who know another tool, and what does it here.

const ABORT = 'steproll rollout abort ID';
const BACK = `of one that has ended: steproll rollout revert ID; of one under way: ${ABORT} --on-abort roll-back`;
const START = 'steproll rollout start RUNTIME --version N';
const PLAN = 'steproll rollout plan RUNTIME --version N';
const SHOW = 'steproll rollout show ID; of all: steproll rollout list';
const HISTORY = 'historyDays in the configuration says how long past rollouts are kept';

const COMMANDS: ReadonlyMap<string, string> = new Map([
  ...['rollback', 'roll-back', 'undo'].map((word) => [word, BACK] as const),
  ...['cancel', 'stop', 'kill', 'end'].map((word) => [word, ABORT] as const),
  ...['deploy', 'apply', 'run', 'update', 'upgrade'].map((word) => [word, START] as const),
  ...['preview', 'diff', 'dry-run'].map((word) => [word, PLAN] as const),
  ...['status', 'get', 'describe', 'history'].map((word) => [word, SHOW] as const),
  ...['ps', 'ls', 'top'].map((word) => [word, 'steproll rollout list'] as const),
  ['version', 'steproll --version'],
  ...['follow', 'logs', 'wait'].map((word) => [word, 'steproll rollout watch ID'] as const),
  ...['rerun', 'redo', 'again'].map((word) => [word, 'steproll rollout retry ID'] as const),
  ...['prune', 'delete', 'clean', 'rm'].map((word) => [word, HISTORY] as const),
]);

/** What does what a word seems to mean that names no command where it stands. */
export function commandFor(program: Command, word: string): string | undefined {
  return COMMANDS.get(word) ?? placeOf(program, word);
}

/** A command of this name in another group. */
function placeOf(group: Command, word: string): string | undefined {
  for (const one of group.commands) {
    const found = one.name() === word ? word : placeOf(one, word);
    if (found !== undefined) return `${group.name()} ${found}`;
  }
  return undefined;
}
