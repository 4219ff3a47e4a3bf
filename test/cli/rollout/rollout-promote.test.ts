import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startClock } from '../../../lib/domain/clock.ts';
import { beginWave } from '../../../lib/domain/wave/progress.ts';
import { planOf, policyOf } from '../../domain/examples.ts';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';

let local: LocalLedger;

beforeEach(() => {
  local = createLocalLedger();
});
afterEach(() => local.remove());

/** @param bakedMs `null`: the first wave rolls. */
async function begin(bakedMs: number | null): Promise<void> {
  const { ids: _, ...plan } = planOf([1, 2]);
  await local.begin(
    { rolloutId: 'rollout-1', runtimeId: 'shop', policy: policyOf({}) },
    undefined,
    plan,
  );
  const lease = { rolloutId: 'rollout-1', runtimeId: 'shop', epoch: 1 };
  await local.ledger.saveProgress(lease, { ...beginWave(plan, 0, startClock(0)), bakedMs });
}

const promote = (...more: string[]) => local.run('rollout', 'promote', 'rollout-1', ...more);
const signals = async () => (await local.ledger.read('rollout-1')).signals;

test('promotes the wave that bakes, with a reason', async () => {
  await begin(0);
  expect(await promote('--reason', 'hotfix')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Promoted wave 1.'),
  });
  expect(await signals()).toMatchObject([{ kind: 'promote', wave: 0, reason: 'hotfix' }]);
  expect((await signals())[0]).not.toHaveProperty('isFull');
});

test('with --full says so of all that follow, also while the wave rolls', async () => {
  await begin(null);
  const { code, stdout } = await promote('--full', '-o', 'json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ signal: 'promote', wave: 1, full: true });
  expect(await signals()).toMatchObject([{ kind: 'promote', wave: 0, isFull: true }]);
});

test('sends nothing where no wave bakes, or another one', async () => {
  await begin(null);
  const rolling = await promote();
  expect(rolling).toMatchObject({ code: 1, stderr: expect.stringContaining('NothingBakes') });
  await local.ledger.saveProgress(
    { rolloutId: 'rollout-1', runtimeId: 'shop', epoch: 1 },
    { ...beginWave(planOf([1, 2]), 0, startClock(0)), bakedMs: 0 },
  );
  expect(await promote('--wave', '2')).toMatchObject({ code: 1 });
  expect(await signals()).toEqual([]);
});

test('is refused where an older steproll runs the rollout', async () => {
  await begin(0);
  local.understandOnly('rollout-1', ['abort', 'hold']);
  const { code, stderr } = await promote();
  expect(code).toBe(1);
  expect(stderr).toContain('does not understand promote');
  expect(await signals()).toEqual([]);
});
