import { describe, expect, test } from '@jest/globals';
import type { RolloutInput } from '../../lib/contract/rollout-input.ts';
import type { NewestWish } from '../../lib/domain/turn/newest-wish.ts';
import { requestRollout } from '../../lib/steps/request-rollout.ts';
import { endpoint, moving, policyOf } from '../domain/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const deployed = policyOf({ bakeSeconds: 60 });
const STAGING = endpoint('staging', { liveVersion: 7, targetVersion: 7 });

const FROM_STAGING = { versionFrom: { endpoint: 'staging' } };

/** The wish of the rollout that these tests ask for, which waits. */
const WISH: NewestWish = {
  ...{ runtimeId: 'shop', rolloutId: 'rollout-2', desiredVersion: 7, at: NOW },
  ...{ since: NOW, wakesAt: NOW + 60_000 },
};

const request = (stage: Stage, said: Partial<RolloutInput>, newest: NewestWish | null = null) =>
  requestRollout(
    { rolloutId: 'rollout-2', startTime: NOW },
    { schemaVersion: 1, runtimeId: 'shop', ...said },
    newest,
    () => deployed,
    stage.ports,
  );

describe('requestRollout', () => {
  test('takes the version that is asked for, and reads nothing', async () => {
    await onStage({}, async (stage) => {
      stage.list = new Error('Not read.');

      expect(await request(stage, { version: 4 })).toEqual({
        rolloutId: 'rollout-2',
        endpointUrl: 'https://endpoints.example.com',
        runtimeId: 'shop',
        desiredVersion: 4,
        policy: deployed,
        startedBy: { kind: 'person', name: '', at: NOW },
      });
    });
  });

  test.each<[string, Partial<RolloutInput>]>([
    ['that is asked for', { version: Number.MAX_SAFE_INTEGER }],
    ['by hand, within another limit', { version: 58, policy: { maxVersionStep: 50 } }],
  ])('refuses a version far above all that is live, %s', async (_, said) => {
    await onStage({}, async (stage) => {
      stage.list = [STAGING];

      await expect(request(stage, said)).rejects.toMatchObject({ name: 'VersionStepRefused' });
    });
  });

  test('takes a high version that is near what is live, or that a person allows', async () => {
    await onStage({}, async (stage) => {
      stage.list = [endpoint('web', { liveVersion: 41_000, targetVersion: 41_000 })];
      expect(await request(stage, { version: 42_000 })).toMatchObject({ desiredVersion: 42_000 });

      const policy = { maxVersionStep: 50_000 };
      expect(await request(stage, { version: 91_000, policy })).toMatchObject({
        desiredVersion: 91_000,
      });
    });
  });

  test('refuses a rollout that is meant for another service, before anything is read', async () => {
    await onStage({}, async (stage) => {
      stage.list = new Error('Not read.');
      const endpointUrl = 'https://staging.example.com';
      const versionFrom = { endpoint: 'staging' };

      await expect(request(stage, { endpointUrl, versionFrom })).rejects.toThrow(
        `is of the service at ${endpointUrl}, and the endpoint URL here is https://endpoints.example.com`,
      );
      await request(stage, { endpointUrl: 'https://endpoints.example.com', version: 4 });
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

  test.each([
    ['was slow', NOW - 60_000],
    ['was ahead', NOW + 60_000],
  ])(
    'a wish of a person is one of its start, also where the clock of their machine %s',
    async (_, at) => {
      await onStage({}, async (stage) => {
        const startedBy = { kind: 'person', name: 'ann', at } as const;

        expect((await request(stage, { version: 4, startedBy })).startedBy).toEqual({
          ...startedBy,
          at: NOW,
        });
      });
    },
  );

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

      expect(await request(stage, FROM_STAGING)).toMatchObject({ desiredVersion: 7 });
    });
  });

  test('E08: and keeps it while it waits for its turn, wherever that endpoint is by then', async () => {
    await onStage({}, async (stage) => {
      stage.list = new Error('Not read.');

      expect(await request(stage, FROM_STAGING, WISH)).toMatchObject({ desiredVersion: 7 });
    });
  });

  test('E08: the version that another one waits for is not its own', async () => {
    await onStage({}, async (stage) => {
      stage.list = [STAGING];
      const anothers = { ...WISH, rolloutId: 'rollout-3', desiredVersion: 8 };

      expect(await request(stage, FROM_STAGING, anothers)).toMatchObject({ desiredVersion: 7 });
    });
  });

  test.each([
    ['there is no such endpoint', [endpoint('web-1')]],
    ['it is on its way elsewhere', [moving('staging')]],
    ['it has failed', [{ ...STAGING, status: 'UPDATE_FAILED' }]],
  ])('VersionUnknown: %s', async (_why, list) => {
    await onStage({}, async (stage) => {
      stage.list = list;

      await expect(request(stage, FROM_STAGING)).rejects.toMatchObject({ name: 'VersionUnknown' });
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
