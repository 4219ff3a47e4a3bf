import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import { keepEngine } from '../../lib/console/desk/kept-engine.ts';
import { recordOf } from '../domain/examples.ts';

const before = process.env.STEPROLL_STATE_DIR;
const folder = mkdtempSync(join(tmpdir(), 'steproll-kept-'));
const { request } = recordOf();
beforeAll(async () => {
  const { ledger, end } = openSqliteLedger(join(folder, 'ledger.sqlite'));
  await ledger.open(request, 0, 60_000);
  end();
  process.env.STEPROLL_STATE_DIR = folder;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  if (before === undefined) delete process.env.STEPROLL_STATE_DIR;
  else process.env.STEPROLL_STATE_DIR = before;
});

/** How many files of the ledger this process has open, as Linux counts them. Elsewhere it cannot be told. */
function openFiles(): number {
  if (process.platform !== 'linux') return 0;
  const open = readdirSync('/proc/self/fd').map((one) => {
    // The one that lists them is gone by now.
    const path = `/proc/self/fd/${one}`;
    return existsSync(path) ? readlinkSync(path) : '';
  });
  return open.filter((path) => path.startsWith(folder)).length;
}

test('what a page asks for at once opens the ledger once, and nothing stays open after the end', async () => {
  const { use, end } = await keepEngine({ '--engine': 'embedded', '--stack': 'none' });
  const ask = () => use(({ ledger }) => ledger.readSummary(request.rolloutId));
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(answers.map((one) => one?.rolloutId)).toEqual(Array(3).fill(request.rolloutId));
  end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(openFiles()).toBe(0);
});
