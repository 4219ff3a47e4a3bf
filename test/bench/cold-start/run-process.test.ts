import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { runProcess } from './run-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steproll-process-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the CPU time of a process is told, with its event and without', async () => {
  const bundle = await bundleOf('exports.handler = async () => {};');
  expect(runProcess(bundle, {})).toBeGreaterThan(0);
  expect(runProcess(bundle, {}, { runtimeId: 'shop' })).toBeGreaterThan(0);
});

test('a handler that fails is not measured', async () => {
  const bundle = await bundleOf(
    'exports.handler = async ({ why }) => { throw new Error(why + process.env.WHERE); };',
  );
  expect(() => runProcess(bundle, { WHERE: 'here' }, { why: 'broken ' })).toThrow('broken here');
});

async function bundleOf(code: string): Promise<string> {
  const bundle = join(folder, 'index.js');
  await writeFile(bundle, code);
  return bundle;
}
