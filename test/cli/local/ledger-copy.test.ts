import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';
import { runHere } from '../run-here.ts';

let own: LocalLedger;
let place: string;
beforeEach(() => {
  // It stays open, as that of a listener does, so what is stored last is in the log beside the file.
  own = createLocalLedger();
  place = mkdtempSync(join(tmpdir(), 'steproll-copies-'));
});
afterEach(() => {
  own.remove();
  rmSync(place, { recursive: true });
});

const copy = () => join(place, 'copy.sqlite');
const inJson = ['-o', 'json'];

/** What a command says with the copy as its ledger, as on another machine. */
function runOnCopy(...args: string[]) {
  const folder = join(place, 'state');
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
    renameSync(copy(), join(folder, 'ledger.sqlite'));
  }
  const variables = { STEPROLL_STATE_DIR: folder, STEPROLL_PROFILES_FILE: '/dev/null' };
  return runHere([...args, ...inJson], variables);
}

test('the copy has every rollout and every hold, in one file for its owner alone', async () => {
  for (const rolloutId of ['a', 'b', 'c']) await own.begin({ rolloutId }, 'Succeeded');
  await own.begin({ rolloutId: 'under-way', runtimeId: 'cart' });
  const until = ['--until', '2h', '--reason', 'storm', '--yes'];
  await own.run('hold', 'add', 'freeze', ...until);
  await own.run('hold', 'add', 'quarantine', 'shop', '--version', '8', ...until);

  const { code, stdout } = await own.run('ledger', 'copy', copy());
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `Copied the ledger ${join(own.folder, 'ledger.sqlite')} to ${copy()}, with 4 rollouts.\n`,
  });
  expect(readdirSync(place)).toEqual(['copy.sqlite']);
  expect((statSync(copy()).mode & 0o777).toString(8)).toBe('600');

  for (const args of [
    ['rollout', 'list'],
    ['hold', 'list'],
    ['rollout', 'show', 'b'],
  ]) {
    const { stdout: said } = await own.run(...args, ...inJson);
    expect((await runOnCopy(...args)).stdout).toBe(said);
  }
});

test('a copy overwrites nothing, follows no link, and leaves nothing behind where it cannot be made', async () => {
  await own.begin({ rolloutId: 'a' }, 'Succeeded');
  writeFileSync(copy(), 'mine');
  symlinkSync(join(place, 'nowhere'), join(place, 'link'));
  const before = readdirSync(place);
  for (const [file, why] of [
    [copy(), `${copy()} is there already, and a copy overwrites nothing: use another name`],
    [join(place, 'link'), 'is there already'],
    [place, 'is there already'],
    [join(place, 'no', 'folder'), `Cannot write ${join(place, 'no', 'folder')}: ENOENT`],
  ] as const) {
    expect(await own.run('ledger', 'copy', file)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(why),
    });
  }
  expect(readdirSync(place)).toEqual(before);
  expect(statSync(copy()).size).toBe(4);
});

test('without a ledger there is nothing to copy, and on AWS it is not for this command', async () => {
  expect(await runHere(['ledger', 'copy', copy()], { STEPROLL_STATE_DIR: place })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no ledger'),
  });
  expect(await own.run('ledger', 'copy', copy(), '--engine', 'aws')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--engine: "aws" is not allowed'),
  });
  expect(readdirSync(place)).toEqual([]);
});
