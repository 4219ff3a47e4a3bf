import { parseArgs } from 'node:util';
import type { Command } from 'commander';
import { invalidInput } from '../../contract/parsing/parse-input.ts';
import type { Invocation } from './invocation.ts';
import { closest, suggest } from './suggest.ts';

interface Choice {
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

/**
 * Reads what was typed for a command, and goes on after a mistake, so that all of them can be told
 * at once. Of an option that is given twice, the last one counts.
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
      ...unknown.map(({ rawName }) => `${rawName}: unknown option${suggest(rawName, flags)}`),
      ...burdened.map(({ rawName }) => `${rawName}: it takes no value`),
      ...operands.slice(names.length).map((text) => `${JSON.stringify(text)}: too many arguments`),
    ],
  };
}

type Token = ReturnType<typeof tokensOf>[number];
type OptionToken = Extract<Token, { kind: 'option' }>;

/**
 * What follows an unknown option is its value if the option that was meant takes one, or if the
 * command has no use for it.
 */
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

/**
 * An option that another option follows has no value: nobody creates an endpoint named `--debug`
 * but by `--name=--debug`.
 */
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
