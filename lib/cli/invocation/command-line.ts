import { parseArgs } from 'node:util';
import type { Command } from 'commander';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { closest, suggest } from '../../contract/input/suggest.ts';
import type { Invocation } from './invocation.ts';

interface Choice {
  /** The command that the words name, or the group of commands when they name no more. */
  readonly command: Command;
  /** The arguments for it: options for all commands from before its name, and everything after it. */
  readonly args: readonly string[];
  /** A word that names no command of the group. @default - there is none */
  readonly unknown?: string;
}

/**
 * Walks down the tree of commands. Options may stand before, between and after the words.
 *
 * @throws `InvalidInput` for a `--version` before the words that does not just ask for the program's version.
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
    if (!arg.startsWith('-')) return { command, args, unknown: arg };
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
/** Before the words of the command they are for the program. After them, `--version` may be the version to roll to. */
const FOR_PROGRAM = ['-h', '--help', ...VERSION];

const MISPLACED =
  '--version: before the command it asks for the version of steproll, and stands alone; the version to roll to stands behind: steproll rollout start shop --version 7';

/**
 * Reads the arguments of a command. It goes on after a mistake, so that all mistakes can be reported at once: Commander,
 * which knows the commands and prints their help, ends at the first one.
 */
export function collectGiven(command: Command, typed: readonly string[]): Invocation {
  const names = command.registeredArguments.map((argument) => argument.name());
  const { args, empty } = setEmptyAside(command, typed);
  const tokens = tokensOf(command, args);
  const options = tokens.filter((token) => token.kind === 'option');
  const unknown = options.filter((token) => optionOf(command, token) === undefined);
  const known = options.filter((token) => optionOf(command, token) !== undefined);
  const burdened = known.filter(
    (token) => token.value !== undefined && optionOf(command, token)?.required === false,
  );
  const own = known.filter((token) => optionOf(command, token)?.helpGroupHeading !== GLOBAL_GROUP);
  const operands = operandsOf(command, tokens, unknown);

  const flags = longFlags(command);
  return {
    given: Object.fromEntries([
      ...known
        .filter((token) => !burdened.includes(token))
        .map((token) => [`--${token.name}`, token.value ?? true]),
      ...names.map((name, index) => [name, operands[index]]),
    ]),
    mistakes: [
      ...empty.map((flag) => `${flag}: the value is missing`),
      ...unknown.map(({ rawName }) => {
        const meant = MEANT.get(rawName);
        return `${rawName}: unknown option${meant === undefined ? suggest(rawName, flags) : `; ${meant}`}`;
      }),
      ...burdened.map(({ rawName }) => `${rawName}: it takes no value`),
      ...own.flatMap((token, index) => contradictions(token, own.slice(0, index))),
      ...operands.slice(names.length).map((text) => `${JSON.stringify(text)}: too many arguments`),
    ],
  };
}

const TO_PLAN = '"steproll rollout plan" shows what a rollout would do';
const TO_WATCH =
  'where it runs in this process, it always waits; with --engine aws, --watch does, and "steproll rollout watch ID"';

/** Options of other tools, and what does that here. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['--dry-run', TO_PLAN],
  ['--preview', TO_PLAN],
  ['--wait', TO_WATCH],
  ['--follow', TO_WATCH],
  [
    '--rollback',
    'after a failure: --on-failure roll-back; with an abort: --on-abort roll-back; afterwards: "steproll rollout revert ID"',
  ],
]);

/** The heading of global options in help. */
export const GLOBAL_GROUP = 'Global options:';

/** An alias may give a global option, and a later one wins. Of the two values of any other nobody knows what is meant. */
function contradictions({ name, value }: OptionToken, before: readonly OptionToken[]): string[] {
  const first = before.find((token) => token.name === name);
  if (first === undefined || first.value === value) return [];
  const values = [first.value, value].map((text) => JSON.stringify(text));
  return [`--${name}: given twice, ${values.join(' and ')}; give it once`];
}

type Token = ReturnType<typeof tokensOf>[number];
type OptionToken = Extract<Token, { kind: 'option' }>;

/** The argument after an unknown option is its value, if the likely option has one, or the command takes none. */
function operandsOf(
  command: Command,
  tokens: readonly Token[],
  unknown: readonly OptionToken[],
): string[] {
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind !== 'positional') continue;
    const before = unknown.find(({ index }) => index + 1 === token.index);
    const isFree = before === undefined || before.inlineValue === true;
    const isNeeded = operands.length < command.registeredArguments.length;
    if (isFree || (isNeeded && !meansValue(command, before))) operands.push(token.value);
  }
  return operands;
}

function meansValue(command: Command, { rawName }: OptionToken): boolean {
  return findOption(command, closest(rawName, longFlags(command)))?.required === true;
}

function longFlags(command: Command): string[] {
  return command.options.map(({ long }) => long ?? '');
}

/** An option before another option has no value: nobody names an endpoint `--debug`, except with `--name=--debug`. */
function setEmptyAside(command: Command, typed: readonly string[]) {
  const end = typed.includes('--') ? typed.indexOf('--') : typed.length;
  const isOption = (text = '') => findOption(command, text.split('=')[0]) !== undefined;
  const isEmpty = (text: string, index: number) =>
    index < end &&
    findOption(command, text)?.required === true &&
    (index + 1 >= end || isOption(typed[index + 1]));
  return {
    args: typed.filter((text, index) => !isEmpty(text, index)),
    empty: typed.filter(isEmpty).map((text) => findOption(command, text)?.long ?? text),
  };
}

function tokensOf(command: Command, args: readonly string[]) {
  const options = command.options.map(({ long, short, required }) => [
    long?.slice(2),
    { type: required ? 'string' : 'boolean', ...(short && { short: short.slice(1) }) },
  ]);
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false,
    tokens: true,
  }).tokens;
}

function optionOf(command: Command, { name }: OptionToken) {
  return findOption(command, `--${name}`);
}

function findOption(command: Command, text = '') {
  return command.options.find(({ long, short }) => text === long || text === short);
}
