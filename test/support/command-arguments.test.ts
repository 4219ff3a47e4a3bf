import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

test.each([
  [
    'scenarios/simulation',
    ['--runs', 'abc'],
    '--runs: abc is not a whole number from 1 to 999999999',
  ],
  ['scenarios/simulation', ['--runs', '0'], '--runs: 0 is not a whole number from 1 to 999999999'],
  ['scenarios/simulation', ['--sedes', '2'], "Unknown option '--sedes'"],
  [
    'scenarios/small-fleets',
    ['--only', 'nix'],
    '--only: nix is no fleet. It looks like 2/one-wave/hold/crash+abort: endpoints, wave-each or one-wave or at-once, stop-old or roll-back or hold, and some of crash+lost+stale+move+abort+pause, in this order, or none.',
  ],
])(
  'a wrong argument of a command of the proof is told in one sentence: %s %j',
  (folder, args, said) => {
    const { status, stdout, stderr } = spawnSync('node', [`test/${folder}/main.ts`, ...args], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: `${said}\n` });
  },
);
