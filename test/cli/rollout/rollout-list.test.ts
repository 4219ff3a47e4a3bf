import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { thisProcess } from '../../../lib/adapters/ledger/sqlite/lease-owner.ts';
import { openSqliteLedger } from '../../../lib/adapters/ledger/sqlite/ledger.ts';
import { recordOf } from '../../domain/examples.ts';
import { notBegun } from '../../support/not-begun.ts';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';
import { runHere } from '../run-here.ts';

let local: LocalLedger;

beforeAll(async () => {
  local = createLocalLedger();
  const startedBy = { kind: 'release', name: 'build-1', at: Date.UTC(2026, 0, 1) } as const;
  await local.begin({ rolloutId: 'one', runtimeId: 'shop', startedBy }, 'Failed');
  await local.begin({ rolloutId: 'two', runtimeId: 'shop\u001b[2J' });
});
afterAll(() => local.remove());

describe('rollout list', () => {
  test('as JSON has what there is of a rollout, and null for what there is not', async () => {
    const { code, stdout, stderr } = await local.run('rollout', 'list', 'shop', '-o', 'json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([
      {
        rolloutId: 'one',
        runtimeId: 'shop',
        version: 3,
        versionFrom: null,
        versions: null,
        revert: null,
        parent: null,
        wait: null,
        approval: null,
        startedBy: {
          kind: 'release',
          name: 'build-1',
          at: '2026-01-01T00:00:00.000Z',
          reason: null,
        },
        startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        endedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        seconds: 90,
        outcome: 'Failed',
        failure: null,
        cleanup: 'none',
        reason: 'Because',
        message: 'So.',
      },
    ]);
  });

  test('C11: as a table has one line for each, and nothing that a terminal obeys', async () => {
    const { stdout } = await local.run('rollout', 'list');
    const rows = stdout.trimEnd().split('\n');
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/^id +outcome +runtime +version +started +took +started by$/);
    expect(stdout).toMatch(
      /^one +Failed \(Because\) +shop +3 +.* ago +1 min 30 s +release build-1$/m,
    );
    expect(stdout).toMatch(/^two +under way .* - +hand$/m);
    expect(stdout).not.toContain('\u001b');
  });

  test('says for what a rollout waits and until when, on stderr beside the table', async () => {
    const waits = createLocalLedger();
    const now = Date.now();
    const { request } = recordOf();
    const until = Date.UTC(2999, 0, 1, 9);
    const message = 'Outside of the deployment windows: the rollout waits until Tuesday.';
    await waits.ledger.enlist(
      { ...request, rolloutId: 'closed' },
      notBegun(now, { for: 'window', of: message, until, lookAt: until }),
      now,
    );
    await waits.ledger.enlist(
      { ...request, rolloutId: 'second', runtimeId: 'cart' },
      notBegun(now, { for: 'turn', of: 'It waits for "x" to end.', until, lookAt: until }),
      now,
    );
    const table = await waits.run('rollout', 'list');
    waits.remove();
    expect(table.stdout).toMatch(/^closed +waits for a window +shop/m);
    expect(table.stdout).toMatch(/^second +waits for its turn +cart/m);
    expect(table.stderr.trimEnd().split('\n').toSorted()).toEqual([
      `closed: ${message}`,
      'second: It waits for "x" to end. It looks again at 2999-01-01 09:00:00Z, and waits until 2999-01-01 09:00:00Z at most.',
    ]);
  });

  test('-o id has one id a line, and --limit so many', async () => {
    const all = await local.run('rollout', 'list', '-o', 'id');
    expect(all.stdout.split('\n').toSorted()).toEqual(['', 'one', 'two']);
    const one = await local.run('rollout', 'list', '--limit', '1', '-o', 'id');
    expect(one.stdout).toMatch(/^\w+\n$/);
  });

  test('of a rollout whose process is gone does not say that it is under way', async () => {
    const dead = createLocalLedger();
    // An earlier process had the id that this one has now.
    const owner = { ...thisProcess(), name: thisProcess().name.replace(/\S+$/, 'earlier') };
    const { ledger, end } = openSqliteLedger(join(dead.folder, 'ledger.sqlite'), { owner });
    const { request } = recordOf();
    await ledger.open(request, Date.now(), Date.now() + 60_000);
    end();
    const { stdout } = await dead.run('rollout', 'list');
    dead.remove();
    expect(stdout).toMatch(/^rollout-1 +process seems dead /m);
  });

  test('of one that waits, and that nobody has looked after, does not say that it is held', async () => {
    const dead = createLocalLedger();
    const since = Date.now() - 3_600_000;
    for (const [rolloutId, lookAt] of [
      ['left', since + 60_000],
      ['awaited', Date.now()],
    ] as const) {
      const { request } = recordOf();
      await dead.ledger.enlist(
        { ...request, rolloutId },
        notBegun(since, { for: 'hold', of: 'It waits.', lookAt }),
        since,
      );
    }
    const { stdout } = await dead.run('rollout', 'list');
    dead.remove();
    expect(stdout).toMatch(/^left +process seems dead /m);
    expect(stdout).toMatch(/^awaited +held /m);
  });

  test.each([
    ['Failed', 'one\n'],
    ['failed', 'one\n'],
    ['Aborted', ''],
  ])('--outcome %s has only those, and the newest of them', async (outcome, stdout) => {
    const args = ['rollout', 'list', '--outcome', outcome, '--limit', '1', '-o', 'id'];
    expect(await local.run(...args)).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('--outcome of what is none: exit 2, and which there are', async () => {
    const { code, stderr } = await local.run('rollout', 'list', '--outcome', 'broken');
    expect(code).toBe(2);
    expect(stderr).toContain(
      '--outcome: "broken" is not allowed; use one of "Succeeded", "Failed"',
    );
  });

  test('of a runtime without rollouts says so on stderr', async () => {
    const none = await local.run('rollout', 'list', 'nobody');
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No rollouts.\n' });
  });

  test.each(['0', '1001', 'all'])('C01: --limit %s: exit 2', async (limit) => {
    expect(await local.run('rollout', 'list', '--limit', limit)).toMatchObject({ code: 2 });
  });
});

describe('where there is no ledger', () => {
  const parent = mkdtempSync(join(tmpdir(), 'steproll-none-'));
  const state = join(parent, 'state');
  const variables = { HOME: parent, STEPROLL_STATE_DIR: state };
  afterAll(() => rmSync(parent, { recursive: true }));

  test('list says where it has looked, and creates none', async () => {
    const stderr = `No rollouts. There is no ledger in ${state} yet.\n`;
    const none = await runHere(['rollout', 'list'], variables);
    expect(none).toEqual({ code: 0, stdout: '', stderr });
    const json = await runHere(['rollout', 'list', '-o', 'json'], variables);
    expect(json).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    expect(existsSync(state)).toBe(false);
  });

  test.each([
    ['show'],
    ['watch'],
    ['abort', '--yes'],
    ['approve'],
    ['reject'],
    ['resume', '--endpoint-url', 'http://127.0.0.1:9'],
    ['retry', '--endpoint-url', 'http://127.0.0.1:9', '--yes'],
  ])('%s knows no rollout, and creates none', async (command, ...options) => {
    const { code, stderr } = await runHere(['rollout', command, 'r-1', ...options], variables);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(state) });
    expect(stderr).toMatch(/^RolloutNotFound: /m);
    expect(existsSync(state)).toBe(false);
  });
});
