import { describe, expect, test } from '@jest/globals';
import type { RolloutInput } from '../../lib/contract/rollout-input.ts';
import { requestRollout } from '../../lib/steps/request-rollout.ts';
import { DESIRED, endpoint, moving, policyOf } from '../domain/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const deployed = policyOf({ bakeSeconds: 60 });
const STAGING = endpoint('staging', { liveVersion: 7, targetVersion: 7 });

const request = (stage: Stage, said: Partial<RolloutInput>, rolloutId = 'rollout-2') =>
  requestRollout(
    { rolloutId, startTime: NOW },
    { schemaVersion: 1, runtimeId: 'shop', ...said },
    () => deployed,
    stage.ports,
  );

describe('requestRollout', () => {
  test('takes the version that is asked for, and reads nothing', async () => {
    await onStage({}, async (stage) => {
      stage.list = new Error('Not read.');

      expect(await request(stage, { version: 4 })).toEqual({
        rolloutId: 'rollout-2',
        runtimeId: 'shop',
        desiredVersion: 4,
        policy: deployed,
        startedBy: { kind: 'person', name: '', at: NOW },
      });
    });
  });

  test('keeps what is known of who started it', async () => {
    await onStage({}, async (stage) => {
      const startedBy = { kind: 'release', name: 'build-41', at: NOW - 1_000 } as const;

      expect((await request(stage, { version: 4, startedBy })).startedBy).toEqual(startedBy);
    });
  });

  test('E05: a wish from the future is one of now: it must not pass for the newest one for ever', async () => {
    await onStage({}, async (stage) => {
      const startedBy = { kind: 'release', name: 'build-41', at: 9_007_199_254_740_991 } as const;

      expect((await request(stage, { version: 4, startedBy })).startedBy).toEqual({
        ...startedBy,
        at: NOW,
      });
    });
  });

  test('keeps the plan that somebody agreed to', async () => {
    await onStage({}, async (stage) => {
      const plan = '0123456789abcdef';

      expect((await request(stage, { version: 4, plan })).agreedPlan).toBe(plan);
    });
  });

  test('what the input says of the policy wins over what is deployed', async () => {
    await onStage({}, async (stage) => {
      const { policy } = await request(stage, { version: 4, policy: { bakeSeconds: 0 } });

      expect(policy).toEqual({ ...deployed, bakeSeconds: 0 });
    });
  });

  test('takes the version that is live on another endpoint', async () => {
    await onStage({}, async (stage) => {
      stage.list = [STAGING];

      expect(await request(stage, { versionFrom: { endpoint: 'staging' } })).toMatchObject({
        desiredVersion: 7,
      });
    });
  });

  test('X04: and keeps it when it runs again, wherever that endpoint is by then', async () => {
    await onStage({}, async (stage) => {
      stage.list = new Error('Not read.');
      const again = await request(stage, { versionFrom: { endpoint: 'staging' } }, 'rollout-1');

      expect(again).toEqual((await stage.read()).request);
      expect(again.desiredVersion).toBe(DESIRED);
    });
  });

  test.each([
    ['there is no such endpoint', [endpoint('web-1')]],
    ['it is on its way elsewhere', [moving('staging')]],
    ['it has failed', [{ ...STAGING, status: 'UPDATE_FAILED' }]],
  ])('VersionUnknown: %s', async (_why, list) => {
    await onStage({}, async (stage) => {
      stage.list = list;

      await expect(request(stage, { versionFrom: { endpoint: 'staging' } })).rejects.toMatchObject({
        name: 'VersionUnknown',
      });
    });
  });

  test('InvalidInput: a policy that does not fit together', async () => {
    await onStage({}, async (stage) => {
      const policy = { pollSeconds: 60, progressDeadlineSeconds: 30 };

      await expect(request(stage, { version: 4, policy })).rejects.toMatchObject({
        name: 'InvalidInput',
      });
    });
  });
});
