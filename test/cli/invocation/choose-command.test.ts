import { expect, test } from '@jest/globals';
import { chooseCommand } from '../../../lib/cli/invocation/command-line.ts';
import { createProgram } from '../../../lib/commands/program.ts';

const { program } = createProgram('1.0.0');

test.each([
  ['rollout start shop --version 7', 'start', 'shop --version 7'],
  ['--profile p rollout start shop --profile q', 'start', '--profile p shop --profile q'],
  ['rollout --region=eu-1 start shop', 'start', '--region=eu-1 shop'],
  ['--profile rollout rollout start', 'start', '--profile rollout'],
  ['-o id agent runtime endpoint list list', 'list', '-o id list'],
  ['--nobody rollout start', 'start', '--nobody'],
])('%j is the command %s with %j', (line, name, args) => {
  const choice = chooseCommand(program, line.split(' '));
  expect([choice.command.name(), choice.args.join(' ')]).toEqual([name, args]);
});

test.each([
  '',
  'rollout',
  'rolout start',
  '--version',
  '--profile p -V',
  '-h serve',
  'rollout --help start',
])('%j is no command that runs', (line) => {
  expect(chooseCommand(program, line.split(' ')).command.commands).not.toEqual([]);
});

test.each([
  '--version 7 rollout start shop',
  '-V rollout start shop',
  'rollout --version 7 start shop',
])('%j is a mistake that says where the version to roll to belongs', (line) => {
  expect(() => chooseCommand(program, line.split(' '))).toThrow(
    'behind: steproll rollout start shop --version 7',
  );
});
