import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { bashCompletion } from '../../../lib/cli/completion/bash.ts';
import { completionNodes } from '../../../lib/cli/completion/completion.ts';
import { createProgram } from '../../../lib/commands/program.ts';

const COMMANDS = [
  ...[
    'agent',
    'rollout',
    'drift',
    'report',
    'hold',
    'release',
    'config',
    'console',
    'ledger',
    'listen',
    'rehearse',
  ],
  ...['serve', 'completion'],
];

const folder = mkdtempSync(join(tmpdir(), 'steproll-completion-'));
const script = join(folder, 'steproll.bash');
writeFileSync(script, bashCompletion(completionNodes(createProgram('1.0.0').program)));
writeFileSync(join(folder, 'profiles'), '[default]\n[profile prod]\nregion = eu-1\n');
writeFileSync(join(folder, 'a file.json'), '{}');
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const drive = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _steproll; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['--norc', '-c', drive, 'bash', script, 'steproll', ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, STEPROLL_PROFILES_FILE: join(folder, 'profiles') },
    encoding: 'utf8',
  });
  return out.split('\n').filter((line) => line !== '');
}

describe('completion in bash', () => {
  test.each([
    [[''], COMMANDS],
    [['ro'], ['rollout']],
    [
      ['agent', 'runtime', 'endpoint', ''],
      ['list', 'create', 'update', 'stop'],
    ],
    [['--profile', 'rollout', ''], COMMANDS],
    [
      ['--profile', 'p', 'rollout', 's'],
      ['start', 'show'],
    ],
    [
      ['rollout', 'start', 'shop', '--wa'],
      ['--watch', '--waves'],
    ],
    [
      ['agent', 'runtime', 'endpoint', 'stop', '-o', ''],
      ['table', 'json', 'id'],
    ],
    [['rollout', 'start', '--output', '=', 'j'], ['json']],
    [
      ['rollout', 'start', '--output', '='],
      ['table', 'json', 'id'],
    ],
    [['rollout', 'start', '--on-failure', 'h'], ['hold']],
    [
      ['rollout', 'list', '--engine', ''],
      ['embedded', 'aws'],
    ],
    [['rollout', 'start', '--config', 'a'], ['a file.json']],
    [['serve', '--scenario', 'a'], ['a file.json']],
    [['config', 'check', 'a'], ['a file.json']],
    [['config', 'check', 'a.json', '--runt'], ['--runtime']],
    [
      ['rollout', 'start', '--profile', ''],
      ['default', 'prod'],
    ],
    [['rollout', 'start', '--waves', ''], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
  ])('%j is completed with %j', (words, choices) => {
    expect(offered(...words)).toEqual(choices);
  });
});
