import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import { planOf } from '../../domain/examples.ts';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';
import { ended, saw } from '../program-process.ts';
import { startHere } from '../run-here.ts';

let local: LocalLedger;

beforeAll(async () => {
  local = createLocalLedger();
  await local.begin({ rolloutId: 'goes-on', runtimeId: 'shop' });
  await local.begin({ rolloutId: 'over', runtimeId: 'till' }, 'Succeeded');
});
afterAll(() => local.remove());

const abort = (...args: string[]) => local.run('rollout', 'abort', ...args);

describe('rollout abort', () => {
  test('leaves everything as it is unless somebody says otherwise', async () => {
    const { code, stdout } = await abort('goes-on', '--yes', '--reason', 'errors');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('every endpoint stays as it is'),
    });
    expect((await local.ledger.read('goes-on')).signals).toMatchObject([
      { kind: 'abort', wave: null, onFailure: 'hold', reason: 'errors' },
    ]);
  });

  test('says by when the rollout hears it: within 2 s on this machine', async () => {
    const { stdout } = await abort('goes-on', '--yes', '-o', 'json');
    const { at, heardBy } = JSON.parse(stdout);
    expect(Date.parse(heardBy) - Date.parse(at)).toBe(2_000);
    const words = (await abort('goes-on', '--yes')).stdout.replace(/\s+/g, ' ');
    const { signals } = await local.ledger.read('goes-on');
    const by = new Date((signals.at(-1)?.at ?? 0) + 2_000).toISOString().slice(11, 19);
    expect(words).toContain(`The rollout hears that by ${by}Z.`);
  });

  test('-o id is the id of the rollout', async () => {
    expect(await abort('goes-on', '--yes', '-o', 'id')).toMatchObject({ stdout: 'goes-on\n' });
  });

  test('with nobody to ask and no --yes: exit 2, and nothing is said', async () => {
    const { signals } = await local.ledger.read('goes-on');
    expect(await abort('goes-on')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes: missing'),
    });
    expect((await local.ledger.read('goes-on')).signals).toEqual(signals);
  });

  test('that somebody does not confirm: exit 1, and nothing is said', async () => {
    const { signals } = await local.ledger.read('goes-on');
    expect(await local.type('n\n', 'rollout', 'abort', 'goes-on')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Not aborted.\n'),
    });
    expect((await local.ledger.read('goes-on')).signals).toEqual(signals);
  });

  test.each([
    [
      'of a service that cannot stop promises no stop',
      true,
      'every endpoint stays as it is, because its service cannot stop any.',
    ],
    [
      'of another service says what is stopped',
      false,
      'what was rolled and is not live on the version is stopped, where that is safe.',
    ],
  ])('the question before an abort with stops %s', async (_, cannotStop, consequence) => {
    const rolloutId = `asked-${cannotStop}`;
    const { ids: _ids, ...planned } = planOf([1]);
    const plan = { ...planned, ...(cannotStop && { cannotStop }) };
    await local.begin({ rolloutId, runtimeId: rolloutId }, undefined, plan);
    const said = ['rollout', 'abort', rolloutId, '--on-abort', 'stop-old'];
    const { stderr } = await local.type('n\n', ...said);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      `Abort rollout ${rolloutId}? Then ${consequence}`,
    );
    const { stdout } = await local.run(...said, '--yes');
    expect(stdout.replace(/\s+/g, ' ')).toContain(`, and ${consequence}`);
  });

  test('the question before one without an option says that all stays, and how a bad version goes', async () => {
    const { stderr } = await local.type('n\n', 'rollout', 'abort', 'goes-on');
    const asked = stderr.replace(/\s+/g, ' ');
    expect(asked).toContain(
      'Abort rollout goes-on? Then every endpoint stays as it is; --on-abort roll-back takes back what it rolled. [y/N]',
    );
    const chosen = await local.type('n\n', 'rollout', 'abort', 'goes-on', '--on-abort', 'hold');
    expect(chosen.stderr).not.toContain('takes back');
  });

  test('of one that is over: exit 1', async () => {
    expect(await abort('over', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('RolloutClosed'),
    });
  });

  test('of one that waits: it ends at once, with nothing rolled', async () => {
    const { request } = await local.ledger.read('goes-on');
    await local.ledger.enlist({ ...request, rolloutId: 'waits' }, acceptedAt(0), 0);
    expect(await abort('waits', '--yes', '--reason', 'too soon')).toMatchObject({
      code: 0,
      stdout: 'Ended. It had not begun: nothing was rolled.\n',
    });
    expect((await local.ledger.read('waits')).outcome).toMatchObject({
      ...{ outcome: 'Aborted', reason: 'Aborted', cleanup: 'none' },
      message: expect.stringMatching(/^Aborted by .*: too soon\. Nothing was rolled\.$/),
    });
    expect(await abort('waits', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('RolloutClosed'),
    });
  });

  test('of one that waits: whoever started it is told how long it took by the ledger, and how to start it again', async () => {
    const today = new Date().getUTCDay();
    const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(today + 3) % 7];
    const window = { days: [day], from: '10:00', to: '11:00', timeZone: 'UTC' };
    const config = join(local.folder, 'windows.json');
    writeFileSync(config, JSON.stringify({ policies: { default: { windows: [window] } } }));
    const url = ['--endpoint-url', 'http://127.0.0.1:1', '--config', config];
    const args = ['rollout', 'start', 'closed', '--version', '3', ...url, '--yes', '-o', 'json'];
    const start = startHere(local.folder, args);
    await saw(start, 'the rollout waits until');
    const [waits] = await local.ledger.list({ runtimeId: 'closed', limit: 1 });
    const { rolloutId = '', startedAt = 0 } = waits ?? {};
    const outcome = { outcome: 'Aborted', reason: 'Aborted', cleanup: 'none' } as const;
    const end = { ...outcome, message: 'Aborted by me.' };
    await local.ledger.withdraw(rolloutId, end, startedAt + 3_600_000);
    const { stdout, stderr } = await ended(start);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'Aborted', seconds: 3600 });
    expect(stderr).toContain('Aborted in 1 h');
    expect(stderr).toContain(`To start it again: "steproll rollout retry ${rolloutId}"`);
  });

  test('of one that nobody knows: exit 2', async () => {
    expect(await abort('nobody', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('RolloutNotFound'),
    });
  });
});
