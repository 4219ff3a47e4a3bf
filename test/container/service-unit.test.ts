import { expect, test } from '@jest/globals';
import { chooseCommand, collectGiven } from '../../lib/cli/invocation/command-line.ts';
import { createProgram } from '../../lib/commands/program.ts';
import { readDoc } from '../docs/code-blocks.ts';

/** The settings of the unit by their names. `.ci/run` asks systemd itself, where it is installed. */
const SETTINGS = new Map(
  readDoc('docs/steproll-listen.service')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !/^\[\w+\]$/.test(line))
    .map((line) => line.split(/=(.*)/, 2) as [string, string]),
);

test('calls listen, with options that it takes', () => {
  const [file, ...words] = (SETTINGS.get('ExecStart') ?? '').split(' ');
  expect(file).toBe('/opt/steproll/bin/steproll');
  const { program } = createProgram('1.0.0');
  const { command, args } = chooseCommand(program, words);
  expect(command.name()).toBe('listen');
  expect(collectGiven(command, args).mistakes).toEqual([]);
});

test('keeps its state where systemd makes a folder for its user alone', () => {
  expect(SETTINGS.get('Environment')).toBe(
    `STEPROLL_STATE_DIR=%S/${SETTINGS.get('StateDirectory')}`,
  );
  expect(SETTINGS.get('StateDirectoryMode')).toBe('0700');
});

test('ends it with SIGTERM, which is no failure, and starts it again unless there is a mistake', () => {
  expect(Object.fromEntries(SETTINGS)).toMatchObject({
    KillSignal: 'SIGTERM',
    Restart: 'on-failure',
    RestartPreventExitStatus: '2',
  });
});

test('takes from it what it does not need, and leaves Node.js its compiler', () => {
  expect(Object.fromEntries(SETTINGS)).toMatchObject({
    DynamicUser: 'yes',
    NoNewPrivileges: 'yes',
    ProtectSystem: 'strict',
    ProtectHome: 'yes',
    CapabilityBoundingSet: '',
  });
  expect(SETTINGS.has('MemoryDenyWriteExecute')).toBe(false);
});

test('has no secret in it', () => {
  expect([...SETTINGS.values()].join('\n')).not.toMatch(/TOKEN/);
});
