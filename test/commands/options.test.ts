import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { ENGINES } from '../../lib/cli/options/global-options.ts';
import { createProgram } from '../../lib/commands/program.ts';
import { runHere } from '../cli/run-here.ts';

const { runnables } = createProgram('1.0.0');
const UNKNOWN = '--not-an-option';

function wordsOf(command: Command): string[] {
  const { parent } = command;
  return parent === null ? [] : [...wordsOf(parent), command.name()];
}

/** Every option of a command with some value, and one that no command has. */
function everyOption(command: Command, engine: string): string[] {
  const typed = command.options.flatMap(({ long, required, argChoices: [value = '1'] = [] }) =>
    required ? [`${long}=${value}`] : [`${long}`],
  );
  return [...typed, `--engine=${engine}`, UNKNOWN];
}

const COMMANDS = runnables.map(([command]) => {
  const words = wordsOf(command);
  return { command, words, name: words.join(' ') };
});

test('every command that writes takes --yes, and no other one', () => {
  const taking = COMMANDS.filter(({ command }) =>
    command.options.some(({ long }) => long === '--yes'),
  );
  const endpoint = ['create', 'update', 'stop'].map((word) => `agent runtime endpoint ${word}`);
  const starts = ['start', 'retry', 'revert', 'resume'].map((word) => `rollout ${word}`);
  const holds = ['hold add', 'hold lift', 'rollout pause', 'rollout unpause'];
  const signals = ['abort', 'approve', 'promote', 'reject'].map((word) => `rollout ${word}`);
  expect(taking.map(({ name }) => name).sort()).toEqual(
    [...endpoint, ...starts, ...signals, ...holds, 'release publish'].sort(),
  );
});

describe.each(ENGINES)('with the engine %s', (engine) => {
  test.each(COMMANDS)('$name takes every option that its help names', async (row) => {
    const typed = [...row.words, ...everyOption(row.command, engine)];
    const { code, stdout, stderr } = await runHere(typed, {});

    // Nothing has run, because one of the options is not known.
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${UNKNOWN}: unknown option`);
    expect(stderr).not.toContain('unknown key');
  });
});
