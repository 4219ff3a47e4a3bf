import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What a shell offers after a command. */
export interface CompletionNode {
  /** The words of the command, without the program's name: `rollout start`. */
  readonly words: string;
  readonly commands: readonly Described[];
  /** The possible values of its argument, if they are known. */
  readonly choices: readonly string[];
  /** Whether its argument is the path of a file. */
  readonly takesFile: boolean;
  readonly options: readonly CompletionOption[];
}

export interface CompletionOption extends Described {
  /** The long form is in `name`, with its dashes. */
  readonly short: string | undefined;
  /** What follows the option: nothing, one of these words, or a value of this kind. */
  readonly value: 'none' | 'any' | 'file' | 'profile' | readonly string[];
}

interface Described {
  readonly name: string;
  readonly description: string;
}

/** Every command of the program, the program itself first. */
export function completionNodes(command: Command, words = ''): CompletionNode[] {
  const node: CompletionNode = {
    words,
    commands: command.commands.map((one) => ({ name: one.name(), description: summaryOf(one) })),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    takesFile: command.registeredArguments[0]?.name() === 'file',
    options: [
      ...command.options.map(describeOption),
      { name: '--help', short: '-h', description: 'show help', value: 'none' },
    ],
  };
  const below = command.commands.flatMap((one) =>
    completionNodes(one, `${words} ${one.name()}`.trim()),
  );
  return [node, ...below];
}

/** Every spelling of an option that has a value. */
export function flagsWithValue(nodes: readonly CompletionNode[]): string[] {
  return flagsOf(nodes, ({ value }) => value !== 'none');
}

/** Every spelling of the options of one kind. */
export function flagsOf(
  nodes: readonly CompletionNode[],
  isMeant: (option: CompletionOption) => boolean,
): string[] {
  const options = nodes.flatMap((node) => node.options).filter(isMeant);
  return [...new Set(options.flatMap(({ name, short }) => (short ? [short, name] : [name])))];
}

/** The options with a fixed set of words, each once. */
export function optionsWithChoices(nodes: readonly CompletionNode[]) {
  const found = new Map<string, { readonly flags: string[]; readonly words: readonly string[] }>();
  for (const { name, short, value } of nodes.flatMap((node) => node.options)) {
    if (typeof value === 'string') continue;
    found.set(name, { flags: short === undefined ? [name] : [short, name], words: value });
  }
  return [...found.values()];
}

/** The path of the profiles file, for a shell to evaluate. */
export const PROFILES_FILE = `"\${STEPROLL_PROFILES_FILE:-\${XDG_CONFIG_HOME:-$HOME/.config}/steproll/profiles}"`;

function describeOption({ long, short, flags, description, required, argChoices }: Option) {
  return {
    name: long ?? flags,
    short,
    description,
    value: required ? (argChoices ?? kindOf(flags)) : 'none',
  } satisfies CompletionOption;
}

function kindOf(flags: string): 'file' | 'profile' | 'any' {
  if (flags.includes('<file>')) return 'file';
  return flags.startsWith('--profile') ? 'profile' : 'any';
}

function summaryOf(command: Command): string {
  return command.description().replace(/\.$/, '');
}
