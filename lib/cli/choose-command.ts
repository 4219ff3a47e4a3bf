import type { Command } from 'commander';
import { invalidInput } from '../contract/parse-input.ts';

export interface Choice {
  /** The command that the words name, as far as they name one. */
  readonly command: Command;
  /** What was typed for it: before its name, options for all commands; and after it. */
  readonly args: readonly string[];
}

/**
 * Walks down the tree of commands. Options may stand before, between and after the words.
 *
 * @throws `InvalidInput` for a `--version` before the words that is more than the question for our own.
 */
export function chooseCommand(program: Command, args: readonly string[]): Choice {
  let command = program;
  const before: string[] = [];
  for (let index = 0; index < args.length && command.commands.length > 0; index += 1) {
    const arg = args[index] ?? '';
    const next = command.commands.find((one) => one.name() === arg);
    if (next !== undefined) {
      command = next;
      if (command.commands.length === 0) {
        return { command, args: [...before, ...args.slice(index + 1)] };
      }
      continue;
    }
    if (!arg.startsWith('-')) break;
    if (FOR_PROGRAM.includes(arg)) {
      refuseVersionBeforeWords(args.slice(index));
      break;
    }
    before.push(arg);
    const option = program.options.find(({ long, short }) => arg === long || arg === short);
    if (option?.required === true) {
      index += 1;
      before.push(...args.slice(index, index + 1));
    }
  }
  return { command, args };
}

function refuseVersionBeforeWords([flag = '', ...behind]: readonly string[]): void {
  if (VERSION.includes(flag) && behind.length > 0) throw invalidInput('arguments', [MISPLACED]);
}

const VERSION = ['-V', '--version'];
/** Before the command's words they are meant for the program; behind them, one may be a version to roll to. */
const FOR_PROGRAM = ['-h', '--help', ...VERSION];

const MISPLACED =
  '--version: before the command it asks for the version of steproll, and stands alone; the version to roll to stands behind: steproll rollout start shop --version 7';
