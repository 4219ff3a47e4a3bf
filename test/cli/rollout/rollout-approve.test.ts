import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startClock } from '../../../lib/domain/clock.ts';
import { waveEventIdOf } from '../../../lib/domain/rollout/event.ts';
import { beginWave } from '../../../lib/domain/wave/progress.ts';
import { planOf, policyOf, waitFor } from '../../domain/examples.ts';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';

let local: LocalLedger;

/** A rollout whose first wave waits for approval. */
beforeEach(async () => {
  local = createLocalLedger();
  await beginWaiting('rollout-1', 'shop');
});
afterEach(() => local.remove());

async function beginWaiting(rolloutId: string, runtimeId: string): Promise<void> {
  const approval = { timeoutSeconds: 3600, onTimeout: 'reject' } as const;
  const verify = { probe: null, alarms: [], metrics: [], approval };
  const policy = policyOf({ verify, onFailure: 'roll-back' });
  const { ids: _, ...plan } = planOf([1, 2]);
  await local.begin({ rolloutId, runtimeId, policy }, undefined, plan);
  const lease = { rolloutId, runtimeId, epoch: 1 };
  const asks = { before: null, wait: waitFor('approval') };
  await local.ledger.saveProgress(lease, beginWave(plan, 0, startClock(0)), asks);
  await local.ledger.recordEvent(lease, {
    kind: 'approval-wanted',
    eventId: waveEventIdOf(rolloutId, 'approval-wanted', 'forward', 1),
    rolloutId,
    runtimeId,
    desiredVersion: 3,
    at: 0,
    message: 'It waits.',
    direction: 'forward',
    wave: 1,
    waves: 2,
    endpoints: 1,
  });
}

const signals = async () => (await local.ledger.read('rollout-1')).signals;

test('list and show say that it waits, until when, and the command to type', async () => {
  const { ids: _, ...plan } = planOf([1, 2]);
  const bakedMs = (plan.waves[0]?.bakeSeconds ?? 0) * 1000;
  const now = Date.now();
  const progress = { ...beginWave(plan, 0, startClock(0)), bakedMs, clock: startClock(now) };
  await local.ledger.saveProgress(
    { rolloutId: 'rollout-1', runtimeId: 'shop', epoch: 1 },
    progress,
    {
      before: null,
      wait: waitFor('approval', { since: now, until: now + 86_400_000, lookAt: now + 5_000 }),
    },
  );
  const time = /\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?Z/.source;
  const command = 'steproll rollout approve rollout-1 --wave 1';
  const list = await local.run('rollout', 'list');
  expect(list.stdout).toMatch(/^rollout-1 +waits for approval +shop/m);
  expect(list.stderr).toMatch(
    new RegExp(
      `^rollout-1: Wave 1 waits for your approval until ${time}, or is rejected:\n  ${command}\n`,
    ),
  );
  const json = await local.run('rollout', 'list', '-o', 'json');
  expect({ ...json, stdout: JSON.parse(json.stdout) }).toMatchObject({
    stderr: '',
    stdout: [
      {
        wait: { for: 'approval' },
        approval: { wave: 1, until: expect.any(String), onTimeout: 'reject' },
      },
    ],
  });
  const report = await local.run('rollout', 'show', 'rollout-1', '-o', 'json');
  const [listed] = JSON.parse(json.stdout);
  expect(JSON.parse(report.stdout)).toMatchObject({
    approval: { ...listed.approval, approvedBy: [] },
  });
  const { stdout } = await local.run('rollout', 'show', 'rollout-1');
  expect(stdout).toMatch(
    new RegExp(` {2}Wave 1 waits for your approval until ${time}, or is rejected:\n +${command}\n`),
  );
});

describe('rollout approve', () => {
  test('says yes to the wave that waits, once', async () => {
    const args = ['rollout', 'approve', 'rollout-1', '--reason', 'looked at'];
    expect(await local.run(...args)).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Approved wave 1\. The next one follows\. The rollout hears that by [\d:]{8}Z\.\n$/,
      ),
      stderr: '',
    });
    expect(await signals()).toMatchObject([{ kind: 'approve', wave: 0, reason: 'looked at' }]);
    expect(await local.run(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ApprovalNotWanted'),
    });
    expect(await signals()).toHaveLength(1);
  });

  test('A11: is refused where an older steproll runs the rollout and does not know the word, and names what helps', async () => {
    local.understandOnly('rollout-1', ['abort', 'hold']);

    const { code, stderr } = await local.run('rollout', 'approve', 'rollout-1');

    expect(code).toBe(1);
    expect(stderr).toContain(
      'Rollout "rollout-1" is run by a steproll that does not understand approve, so nothing was sent.',
    );
    expect(stderr).toContain('steproll rollout abort rollout-1');
    expect(await signals()).toEqual([]);
    expect(await local.run('rollout', 'abort', 'rollout-1', '--yes')).toMatchObject({ code: 0 });
    expect(await signals()).toMatchObject([{ kind: 'abort' }]);
  });

  test('as JSON says what was said, with the wave as people count', async () => {
    const { stdout } = await local.run('rollout', 'approve', 'rollout-1', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({
      rolloutId: 'rollout-1',
      signal: 'approve',
      wave: 1,
      full: false,
      onFailure: null,
      by: expect.stringMatching(/./),
      reason: '',
      at: expect.stringMatching(/Z$/),
      heardBy: expect.stringMatching(/Z$/),
    });
  });

  test('changes nothing where another wave waits, or nobody knows the rollout', async () => {
    const other = await local.run('rollout', 'approve', 'rollout-1', '--wave', '2');
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(await local.run('rollout', 'approve', 'nobody')).toMatchObject({ code: 2 });
    expect(await signals()).toEqual([]);
  });
});

describe('rollout reject', () => {
  test.each([
    [[], 'roll-back', 'and what was rolled goes back'],
    [['--on-failure', 'hold'], 'hold', 'and every endpoint stays as it is'],
  ] as const)('says no to the wave that waits, with %p', async (more, onFailure, words) => {
    const { code, stdout } = await local.run('rollout', 'reject', 'rollout-1', ...more);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(words) });
    expect(await signals()).toMatchObject([{ kind: 'reject', wave: 0, onFailure }]);
  });
});

test('C: a group cannot be told to stop its runtimes, and nothing is sent', async () => {
  await beginWaiting('of-group', 'group:prod');
  const told = await local.run('rollout', 'reject', 'of-group', '--on-failure', 'stop-old');
  expect(told).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--on-failure: "stop-old" is not allowed; use "hold" or'),
  });
  expect((await local.ledger.read('of-group')).signals).toEqual([]);
});
