import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../../lib/commands/program.ts';
import { readDoc } from './code-blocks.ts';

const TEXT = readDoc('docs/cli.md');
const TABLE_ROWS = TEXT.split('\n').filter((line) => line.startsWith('|'));
const { program, runnables } = createProgram('1.0.0');

function wordsOf(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${wordsOf(parent)} ${command.name()}`;
}

describe('docs/cli.md', () => {
  test.each(runnables.map(([command]) => [wordsOf(command), command] as const))(
    'has %s',
    (words, command) => {
      const usage = command.registeredArguments.map((argument) => ` [${argument.name()}]`).join('');
      expect(TEXT).toContain(`\n${words}${usage} `);
    },
  );

  test('names no option that there is not', () => {
    const known = new Set(
      [program, ...runnables.map(([command]) => command)].flatMap(({ options }) =>
        options.map(({ long }) => long),
      ),
    );
    known.add('--help');
    const named = TABLE_ROWS.flatMap((row) => row.match(/(?<=`|, )--[a-z-]+/g) ?? []);
    expect(named.filter((option) => !known.has(option))).toEqual([]);
  });
});
