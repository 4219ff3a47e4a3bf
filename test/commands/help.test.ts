import { describe, expect, test } from '@jest/globals';
import { GLOBAL_OPTIONS } from '../../lib/cli/options/global-options.ts';
import { createProgram } from '../../lib/commands/program.ts';

const { program, runnables } = createProgram('1.0.0');
const COMMANDS = runnables.map(([command]) => command).filter(({ examples }) => examples !== '');

/** All that `--help` prints. */
function helpOf(command: (typeof COMMANDS)[number]): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

test('the help of the program has examples, then commands, then the options of all', () => {
  const headings = program.helpInformation().match(/^(?:Examples|Commands|Global options):$/gm);
  expect(headings).toEqual(['Examples:', 'Commands:', 'Global options:']);
});

test.each(runnables.map(([command]) => [command.name(), command] as const))(
  'the help of %s has one empty line between two paragraphs',
  (_, command) => {
    expect(helpOf(command)).not.toContain('\n\n\n');
  },
);

test('most commands have examples', () => {
  expect(COMMANDS.length).toBeGreaterThan(20);
});

describe.each(COMMANDS.map((command) => [command.name(), command] as const))(
  'the help of %s',
  (_, command) => {
    const lines = helpOf(command).split('\n');

    test('has its examples once, before its options', () => {
      expect(lines.filter((line) => line === 'Examples:')).toHaveLength(1);
      expect(lines.indexOf('Examples:')).toBeLessThan(lines.indexOf('Options:'));
    });

    test('lists no global option, and says where they are', () => {
      const listed = GLOBAL_OPTIONS.filter(({ option }) =>
        lines.some((line) => new RegExp(String.raw`^  (-\w, )?${option}\b(?!-)`).test(line)),
      );
      expect(listed.map(({ option }) => option)).toEqual([]);
      if (command.options.some(({ long }) => long === '--engine')) {
        expect(lines.join('\n')).toContain('steproll --help');
      }
    });
  },
);

test('the help of the program lists all global options', () => {
  const help = program.helpInformation();
  for (const { option } of GLOBAL_OPTIONS) expect(help).toContain(option);
});
