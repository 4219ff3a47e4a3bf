import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../../../lib/cli/program.ts';
import { hintsFor } from '../../../lib/cli/view/hints.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';

const { program, runnables } = createProgram('1.0.0');

describe('the way on', () => {
  test.each<[ErrorName, readonly string[]]>([
    [ErrorName.DowngradeRefused, ['--allow-downgrade']],
    [ErrorName.PlanChanged, ['rollout plan', '--plan']],
    [ErrorName.LeaseHeld, ['rollout show ID', 'rollout watch ID', 'rollout abort ID']],
    [ErrorName.LeaseLost, ['rollout list']],
    [ErrorName.OutsideWindow, ['--any-time']],
    [ErrorName.EmptyScope, ['endpoint list', '--select', '--exclude']],
    [ErrorName.VersionUnknown, ['--version']],
    [ErrorName.RolloutClosed, ['rollout show ID', 'rollout retry ID']],
    [ErrorName.RolloutNotFound, ['rollout list', '--engine']],
    [ErrorName.ApprovalNotWanted, ['rollout show ID']],
    [ErrorName.PortUnavailable, ['--port']],
  ])('from %s is one line, in the words of the command line', (name, words) => {
    const hints = hintsFor(name);
    expect(hints).toHaveLength(1);
    for (const word of words) expect(hints[0]).toContain(word);
  });

  test('is not said where the error says it itself, or is none of ours', () => {
    expect(
      [ErrorName.InvalidInput, ErrorName.NothingToRetry, 'TypeError'].flatMap(hintsFor),
    ).toEqual([]);
  });

  test('names only commands and options that there are', () => {
    const hints = Object.values(ErrorName).flatMap(hintsFor);
    const commands = hints.flatMap((hint) =>
      [...hint.matchAll(/"steproll ([a-z ]+)/g)].map(([, words = '']) => words.trim()),
    );
    const options = hints.flatMap((hint) => hint.match(/--[a-z-]+/g) ?? []);
    const known = runnables.map(([command]) => command);
    expect(known.map(nameOf)).toEqual(expect.arrayContaining(commands));
    expect(known.flatMap(optionsOf)).toEqual(expect.arrayContaining(options));
    expect(commands.length).toBeGreaterThan(0);
  });
});

function nameOf(command: Command): string {
  return command === program ? '' : `${nameOf(command.parent as Command)} ${command.name()}`.trim();
}

function optionsOf(command: Command): string[] {
  return command.options.flatMap(({ long }) => (long ? [long] : []));
}
