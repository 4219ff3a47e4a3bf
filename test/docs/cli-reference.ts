import type { Command, Option } from 'commander';
import {
  type CliCommand,
  COMMON_HELP,
  GLOBAL_OPTIONS,
  type GlobalOption,
  variableOf,
} from '../../lib/cli/options/global-options.ts';
import { createProgram } from '../../lib/commands/program.ts';
import { tableOf } from './markdown-table.ts';

const GLOBAL = 'Global options:';

/** Every command that runs, from its own definition: arguments, options, and what its help says. */
export function cliReference(): string {
  const { program, runnables } = createProgram('');
  const commands = runnables.map(([command]) => command);
  const without = commands.filter(({ options }) => !options.some(isGlobal)).map(codeOfPath);
  return [
    '## Global options',
    `Of every command but ${without.join(' and ')}.`,
    optionTable(program.options.filter(isGlobal)),
    codeBlock(COMMON_HELP.trim()),
    ...commands.flatMap(sectionOf),
  ].join('\n\n');
}

/** The options that every command takes, with the other places that may set them. */
export function settingsTable(): string {
  const { options } = createProgram('').program;
  return tableOf(
    ['option', 'environment', 'profile', 'configuration'],
    GLOBAL_OPTIONS.map(({ option, profileKey, configKeys = [] }: GlobalOption) => [
      `\`${options.find(({ long }) => long === option)?.flags}\``,
      `\`${variableOf(option)}\``,
      profileKey === undefined ? '' : `\`${profileKey}\``,
      choiceText(configKeys),
    ]),
  );
}

function sectionOf(command: Command): string[] {
  const own = command.options.filter((option) => !isGlobal(option));
  const groups = [...new Set(own.map(({ helpGroupHeading }) => helpGroupHeading))];
  const words = command.registeredArguments.map(
    (argument) => `- \`${argument.name()}\`: ${argument.description}`,
  );
  return [
    `## ${codeOfPath(command)}`,
    command.description(),
    ...(words.length === 0 ? [] : [words.join('\n')]),
    ...groups.flatMap((heading) => [
      ...(heading === undefined ? [] : [heading]),
      optionTable(own.filter((option) => option.helpGroupHeading === heading)),
    ]),
    codeBlock(helpOf(command)),
  ];
}

function optionTable(options: readonly Option[]): string {
  return tableOf(
    ['option', ''],
    options.map(({ flags, description, argChoices }) => [
      `\`${flags}\``,
      argChoices === undefined ? description : `${description}: ${choiceText(argChoices)}`,
    ]),
  );
}

function choiceText(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}

function codeOfPath(command: Command): string {
  return `\`${pathOf(command)}\``;
}

/** The words of a command, as they are typed. */
function pathOf(command: Command): string {
  const parent = command.parent === null ? '' : `${pathOf(command.parent)} `;
  return `${parent}${command.name()}`;
}

/** What the help says besides the options, examples last. */
function helpOf(command: Command): string {
  const notes = notesOf(command).replace(COMMON_HELP, '').trim();
  const { examples = '' } = command as Partial<CliCommand>;
  return [notes, examples].filter((part) => part !== '').join('\n\n');
}

/** What the help says behind the list of options. */
function notesOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text.replace(command.helpInformation(), '');
}

function isGlobal({ helpGroupHeading }: Option): boolean {
  return helpGroupHeading === GLOBAL;
}

function codeBlock(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``;
}
