import type { Command } from 'commander';

export interface Choice {
  /** The command that the words name, as far as they name one. */
  readonly command: Command;
  /** What was typed for it: before its name, options for all commands; and after it. */
  readonly args: readonly string[];
}

/** Walks down the tree of commands. Options may stand before, between and after the words. */
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
    if (!arg.startsWith('-') || FOR_PROGRAM.includes(arg)) break;
    before.push(arg);
    const option = program.options.find(({ long, short }) => arg === long || arg === short);
    if (option?.required === true) {
      index += 1;
      before.push(...args.slice(index, index + 1));
    }
  }
  return { command, args };
}

/** Before the command's words they are meant for the program; behind them, one may be a version to roll to. */
const FOR_PROGRAM = ['-h', '--help', '-V', '--version'];
