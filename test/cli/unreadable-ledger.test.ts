import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLocalLedger, type LocalLedger } from './local-ledger.ts';
import { runHere } from './run-here.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/steproll.ts', import.meta.url));
/** The number that `nobody` has on Linux. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let home: string;
let own: LocalLedger;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'steproll-unreadable-'));
  own = createLocalLedger();
  await own.begin({ rolloutId: 'first' }, 'Succeeded');
});
afterAll(() => {
  chmodSync(own.folder, 0o700);
  own.remove();
  rmSync(home, { recursive: true });
});

const READERS = [
  ['rollout', 'list'],
  ['hold', 'list'],
  ['hold', 'list', '-o', 'json'],
  ['rollout', 'show', 'first'],
  ['rollout', 'approve', 'first', '--wave', '1', '--yes'],
  ['hold', 'lift', 'any', '--reason', 'over', '--yes'],
];
const unreadable = (folder: string) => ({
  code: 3,
  stdout: '',
  stderr: expect.stringContaining(
    `LedgerUnavailable: You may not read the ledger ${join(folder, 'ledger.sqlite')}, so nothing is known of its rollouts and holds`,
  ),
});

describe.each(READERS.map((args) => [args.join(' '), args] as const))('%s', (_, args) => {
  test('a ledger of which nobody can know whether it is there is not taken for none', async () => {
    const folder = join(home, 'loop');
    rmSync(folder, { force: true });
    symlinkSync(folder, folder);
    expect(await runHere(args, { STEPROLL_STATE_DIR: folder })).toEqual(unreadable(folder));
  });

  test('to another account a ledger is one that it may not read', async () => {
    expect(await askAsAnother(args)).toEqual(unreadable(own.folder));
  });

  test('where there is none, nobody needs a right to know that', async () => {
    const { code, stderr } = await runHere(args, { STEPROLL_STATE_DIR: join(home, 'none') });
    expect(code).not.toBe(3);
    expect(stderr).not.toContain('may not read');
  });
});

test('a folder that says nothing about a configuration in it keeps no command from its work', async () => {
  const folder = join(home, 'empty');
  mkdirSync(folder, { recursive: true });
  expect(await runHere(['hold', 'list'], { STEPROLL_STATE_DIR: folder })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Nothing is held'),
  });
});

/** Root may read everything, so another account asks for it. Anybody else shuts out itself. */
async function askAsAnother(args: readonly string[]) {
  const variables = { STEPROLL_STATE_DIR: own.folder, STEPROLL_PROFILES_FILE: '/dev/null' };
  if (!isRoot) {
    chmodSync(own.folder, 0);
    return runHere(args, variables);
  }
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...variables },
    cwd: tmpdir(),
    encoding: 'utf8',
    uid: NOBODY,
    gid: NOBODY,
  });
  if (error) throw error;
  return { code: status, stdout, stderr };
}
