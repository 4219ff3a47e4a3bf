import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../../lib/commands/program.ts';

const { program, runnables } = createProgram('1.0.0');

const COMMANDS = [program, ...runnables.map(([command]) => command)].map((command) => ({
  name: command.name(),
  command,
}));

/** The whole help, as people see it where no terminal says how wide it is. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return text;
}

describe('help', () => {
  test.each(COMMANDS)(
    'of $name has a description, two examples or more, and fits 80 columns',
    ({ command }) => {
      const text = helpOf(command);
      expect(command.description()).not.toBe('');
      const examples = text.slice(text.indexOf('Examples:')).match(/^ {2}.*steproll /gm) ?? [];
      expect(examples.length).toBeGreaterThanOrEqual(2);
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      for (const { description } of [...command.options, ...command.registeredArguments]) {
        expect(description).not.toBe('');
      }
    },
  );
});
