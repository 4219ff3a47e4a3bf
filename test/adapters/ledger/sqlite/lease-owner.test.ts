import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { thisProcess } from '../../../../lib/adapters/ledger/sqlite/lease-owner.ts';

const { name: ours, isGone } = thisProcess();
const [, place = '', pid = '', instance = ''] = /^(.*) (\d+) (\S+)$/.exec(ours) ?? [];
const ANOTHER = 'another-instance';
/** No process ever has it. */
const NO_PID = '999999999';

test('L06: a process of this place is gone when it has ended, and not before', async () => {
  const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()']);
  const name = `${place} ${child.pid} ${ANOTHER}`;
  await once(child, 'spawn');
  expect(isGone(name)).toBe(false);

  child.stdin.end();
  await once(child, 'exit');
  expect(isGone(name)).toBe(true);
});

const isLinux = process.platform === 'linux';

test('L06: a process that has ended is gone, also while its parent has not asked how', async () => {
  // A shell that starts a child, and then becomes a program that asks after no child. Until then the child waits for the
  // end of a pipe, because the shell would ask.
  const script = 'cat <&3 & echo $!; exec sleep 1000';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  const [written] = await once(parent.stdout as Readable, 'data');
  const child = Number(String(written));
  const saysIn = async (file: string, text: RegExp) => {
    // Elsewhere it cannot be told, and counts as alive.
    while (isLinux && !text.test(readFileSync(`/proc/${file}`, 'utf8'))) await setTimeout(10);
  };
  await saysIn(`${parent.pid}/comm`, /^sleep/);
  parent.stdio[3]?.destroy();
  await saysIn(`${child}/stat`, /\) Z /);

  expect(isGone(`${place} ${child} ${ANOTHER}`)).toBe(true);

  parent.kill('SIGKILL');
  await once(parent, 'close');
});

test('a process has one name, by its place and its id, and does not count itself as gone', () => {
  expect(place).not.toBe('');
  expect(pid).toBe(String(process.pid));
  expect(thisProcess().name).toBe(ours);
  expect(isGone(ours)).toBe(false);
});

test('L06: whoever had our process id before is gone', () => {
  expect(isGone(`${place} ${pid} ${ANOTHER}`)).toBe(true);
});

test.each([
  ['another place', `${place}-other ${NO_PID} ${ANOTHER}`],
  ['another place with our process id', `${place}-other ${pid} ${instance}`],
  ['nobody', ''],
  ['no number', `${place} abc ${ANOTHER}`],
  ['no instance', `${place} ${NO_PID}`],
])('of %s nothing is certain', (_, name) => {
  expect(isGone(name)).toBe(false);
});

test('what is not in doubt in these examples: nobody has that process id', () => {
  expect(isGone(`${place} ${NO_PID} ${ANOTHER}`)).toBe(true);
});
