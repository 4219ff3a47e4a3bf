import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { recordOf } from '../domain/examples.ts';
import { FAKE_HISTORY_DAYS, type FakeAws, startFakeAws } from '../support/fake-aws.ts';
import { runHere } from './run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-history-'));
const CONFIG = join(home, 'config.json');
const DAY_MS = 24 * 3_600_000;
let aws: FakeAws;

beforeAll(async () => {
  writeFileSync(CONFIG, '{}');
  aws = await startFakeAws();
  await end('old', FAKE_HISTORY_DAYS * DAY_MS + 60_000);
  await end('young', FAKE_HISTORY_DAYS * DAY_MS - 3_600_000);
});

afterAll(async () => {
  await aws.close();
  rmSync(home, { recursive: true });
});

/** A rollout that failed so many milliseconds ago. */
async function end(rolloutId: string, ago: number): Promise<void> {
  const at = Date.now() - ago;
  await aws.ledger.open({ ...recordOf().request, rolloutId }, at - 1_000, at + 60_000);
  const failed = { outcome: 'Failed', cleanup: 'none', reason: 'Stalled', message: 'It hung.' };
  await aws.ledger.close(rolloutId, failed as never, at);
}

const run = (...args: readonly string[]) =>
  runHere(args, { ...aws.variables, STEPROLL_STATE_DIR: home, STEPROLL_CONFIG: CONFIG });

describe('a rollout of a stack that ended longer ago than its historyDays', () => {
  test('is not listed', async () => {
    const { stdout } = await run('rollout', 'list', '-o', 'id');
    expect(stdout.trim().split('\n')).toEqual(['young']);
  });

  test.each([
    ['show', []],
    ['retry', ['--yes', '--detach']],
    ['revert', ['--yes', '--detach']],
  ] as const)('is unknown to %s, and the younger one is not', async (command, more) => {
    const { code, stderr } = await run('rollout', command, 'old', ...more);
    expect(code).not.toBe(0);
    expect(stderr).toContain('The ledger knows no rollout "old"');
    const young = await run('rollout', command, 'young', ...more);
    expect(young.stderr).not.toContain('knows no rollout');
  });
});
