import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { bashCompletion } from '../../../lib/cli/completion/bash.ts';
import { completionNodes } from '../../../lib/cli/completion/completion.ts';
import { fishCompletion } from '../../../lib/cli/completion/fish.ts';
import { zshCompletion } from '../../../lib/cli/completion/zsh.ts';
import { createProgram } from '../../../lib/commands/program.ts';

const { program, runnables } = createProgram('1.0.0');
const nodes = completionNodes(program);

/** Below the program: `rollout list`. */
function wordsOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${wordsOf(parent)} ${command.name()}` : command.name();
}

describe('completion', () => {
  test('knows every command that runs, with its options', () => {
    for (const [command] of runnables) {
      const node = nodes.find(({ words }) => words === wordsOf(command));
      const names = node?.options.map(({ name }) => name) ?? [];
      for (const { long } of command.options) expect(names).toContain(long);
    }
  });

  test.each([
    ['--output', ['table', 'json', 'id']],
    ['--config', 'file'],
    ['--profile', 'profile'],
    ['--waves', 'any'],
    ['--yes', 'none'],
  ])('knows what follows %s', (name, value) => {
    const start = nodes.find(({ words }) => words === 'rollout start');
    expect(start?.options.find((option) => option.name === name)?.value).toEqual(value);
  });

  test.each([
    ['bash', bashCompletion],
    ['zsh', zshCompletion],
    ['fish', fishCompletion],
  ])('the script for %s has every command and option', (_, script) => {
    const text = script(nodes);
    for (const { words, options } of nodes) {
      expect(text).toContain(words);
      for (const { name } of options) expect(text).toContain(name.slice(2));
    }
  });

  test('a quote in a description does not end the text around it', () => {
    const [node] = nodes;
    const options = [
      { name: '--x', short: undefined, description: "it's", value: 'none' },
    ] as const;
    const tricky = node === undefined ? [] : [{ ...node, commands: [], options }];
    expect(zshCompletion(tricky)).toContain("'--x:it'\\''s'");
    expect(fishCompletion(tricky)).toContain("-l x -d 'it\\'s'");
  });
});
