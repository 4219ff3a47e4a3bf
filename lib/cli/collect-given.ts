import { parseArgs } from 'node:util';
import type { Command } from 'commander';
import type { Invocation } from './invocation.ts';
import { closest, suggest } from './suggest.ts';

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
