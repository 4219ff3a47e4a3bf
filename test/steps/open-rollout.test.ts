import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint.ts';
import type { RolloutPolicy } from '../../lib/domain/policy.ts';
import { fingerprintOf } from '../../lib/steps/fingerprint.ts';
import { openRollout } from '../../lib/steps/open-rollout.ts';
import type { StepPorts } from '../../lib/steps/step-ports.ts';
import { DESIRED, endpoint, live, planOf, policyOf, progressOf, seen } from '../domain/examples.ts';
import { freeze } from '../domain/window/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const { ids: _ids, ...plan } = planOf([1, 2]);
const FLEET = [endpoint('web-1'), endpoint('web-2'), endpoint('web-3')];
const WAVES: Partial<RolloutPolicy> = {
  waves: [{ endpoints: 1 }, { percent: 100 }],
  maxUnavailable: { percent: 100 },
  pollSeconds: 7,
};

const open = (stage: Stage, said: object = {}, ports: StepPorts = stage.ports) => {
  const input = { schemaVersion: 1, runtimeId: 'shop', version: DESIRED, ...said };
  return openRollout(
    { rolloutId: 'rollout-1', startTime: NOW, input },
    () => policyOf(WAVES),
    ports,
  );
};

const LATEST = { onConflict: 'latest' } as const;
/** In force at `NOW`, a midnight, and for two hours more. */
const FROZEN = { freezes: [freeze('2026-11-20T00:00', '2026-11-21T02:00')] };
const OVERTAKEN = { next: 'close', ending: { outcome: 'Superseded', reason: 'Overtaken' } };
const OVER = { outcome: 'Aborted', reason: 'Aborted', cleanup: 'none', message: '' } as const;

/** A rollout after the one on the stage, with a plan that somebody agreed to. */
const openNext = async (stage: Stage, agreed: string, policy = WAVES) => {
  await stage.ports.ledger.close('rollout-1', OVER, NOW);
  const input = { schemaVersion: 1, runtimeId: 'shop', version: DESIRED, plan: agreed };
  return openRollout(
    { rolloutId: 'rollout-2', startTime: NOW, input },
    () => policyOf(policy),
    stage.ports,
  );
};

/** A release later than the rollout of the stage, with the policy that its runtime has. */
const openRelease = (stage: Stage, version: number, policy: Partial<RolloutPolicy>, at = NOW) =>
  openRollout(
    {
      ...{ rolloutId: `release-${version}`, startTime: NOW },
      input: {
        ...{ schemaVersion: 1, runtimeId: 'shop', version },
        startedBy: { kind: 'release', name: '', at },
      },
    },
    () => policyOf({ ...WAVES, ...policy }),
    stage.ports,
  );

/** An execution that began when the stage did, after as many events as lie behind and before its next step. */
const begun = (events: number) => ({ number: 1, startedAt: NOW, events: 8 + events });

describe('openRollout', () => {
  test('freezes the plan, and begins with one endpoint', async () => {
    await onStage({ policy: WAVES }, async (stage) => {
      stage.list = FLEET;

      expect(await open(stage)).toEqual(
        stage.position({
          execution: begun(4 + 7 + 9),
          next: 'roll',
          waitSeconds: 7,
          batches: [stage.batch({ from: 0, to: 1 })],
        }),
      );
      const { plan: frozen, progress } = await stage.read();
      expect(frozen?.endpoints.map(({ endpointId }) => endpointId)).toEqual([
        'web-1',
        'web-2',
        'web-3',
      ]);
      expect(progress).toMatchObject({ wave: 0, progressedAt: NOW, observations: [] });
      expect(stage.writes).toEqual([]);
    });
  });

  test('X04: what was recorded first is what was asked for, whatever is said later', async () => {
    await onStage({ policy: WAVES }, async (stage) => {
      stage.list = FLEET;
      const later = { version: 9, plan: '0123456789abcdef', policy: { pollSeconds: 9 } };

      expect(await open(stage, later)).toMatchObject({ next: 'roll', waitSeconds: 7 });
      expect((await stage.read()).plan?.endpoints[0]?.desiredVersion).toBe(DESIRED);
    });
  });

  test('nothing to roll is a success without a wave', async () => {
    await onStage({}, async (stage) => {
      stage.list = [live('web-1')];

      expect(await open(stage)).toMatchObject({
        next: 'close',
        ending: { outcome: 'Succeeded', reason: 'NothingToDo' },
      });
      expect((await stage.read()).progress).toBeNull();
    });
  });

  test('X04: run again before its first look, it keeps the plan that it froze', async () => {
    await onStage({ plan }, async (stage) => {
      stage.list = FLEET.slice(1);

      expect(await open(stage)).toMatchObject({ next: 'roll' });
      expect((await stage.read()).plan).toEqual(plan);
    });
  });

  test.each([
    [
      'in its second wave',
      progressOf(1, [seen('converged', 2)]),
      { wave: 1, direction: 'forward' },
    ],
    ['on its way back', progressOf(0, [], { direction: 'back' }), { wave: 0, direction: 'back' }],
  ] as const)(
    'X04: run again %s, it looks at once, and the time in between was not watched',
    async (_when, progress, at) => {
      await onStage({ plan, progress }, async (stage) => {
        stage.list = new Error('Not read.');

        expect(await open(stage)).toEqual(
          stage.position({ next: 'wait', waitSeconds: 0, execution: begun(9), ...at }),
        );
        const unwatched = { progressedAt: NOW, readAt: NOW };
        expect((await stage.read()).progress).toEqual({ ...progress, ...unwatched });
      });
    },
  );

  test('X04: run again in a freeze, and where its version came from moved on, it goes on all the same', async () => {
    await onStage({ plan, progress: progressOf(0, []), policy: FROZEN }, async (stage) => {
      stage.list = new Error('Not read.');
      const said = { version: undefined, versionFrom: { endpoint: 'staging' } };

      expect(await open(stage, said)).toMatchObject({ next: 'wait' });
    });
  });

  test('a plan that somebody agreed to is rolled', async () => {
    await onStage({}, async (stage) => {
      stage.list = FLEET;

      expect(await openNext(stage, fingerprintOf(plan, policyOf(WAVES)))).toMatchObject({
        next: 'roll',
      });
      const { plan: frozen, request } = await stage.ports.ledger.read('rollout-2');
      expect(frozen).toEqual(plan);
      expect(request.agreedPlan).toBe(fingerprintOf(plan, policyOf(WAVES)));
    });
  });

  test.each<[string, Endpoint[], Partial<RolloutPolicy>, why: string]>([
    ['another fleet', FLEET.slice(1), WAVES, 'The fleet is not what it was'],
    ['another way to do it', FLEET, { ...WAVES, onFailure: 'hold' }, 'drawn with another policy'],
    ['other waves', FLEET, { waves: [{ percent: 100 }] }, 'drawn with another policy'],
  ])('PlanChanged: %s is refused, and no plan is frozen', async (_, fleet, policy, why) => {
    await onStage({}, async (stage) => {
      stage.list = fleet;
      const agreed = fingerprintOf(plan, policyOf(WAVES));

      await expect(openNext(stage, agreed, policy)).rejects.toMatchObject({
        name: 'PlanChanged',
        message: expect.stringMatching(new RegExp(`${why}.*\\.`)),
      });
      expect(await stage.ports.ledger.read('rollout-2')).toMatchObject({ plan: null });
    });
  });

  test('LeaseHeld: another rollout of the runtime reads and plans nothing', async () => {
    await onStage({}, async (stage) => {
      stage.list = new Error('Not read.');
      const input = { schemaVersion: 1, runtimeId: 'shop', version: DESIRED };
      const other = { rolloutId: 'rollout-2', startTime: NOW, input };

      await expect(openRollout(other, () => policyOf(), stage.ports)).rejects.toMatchObject({
        name: 'LeaseHeld',
      });
    });
  });

  test('ListUnstable: a list that holds other endpoints every time is no plan', async () => {
    await onStage({}, async (stage) => {
      let reads = 0;
      const list = async () => FLEET.slice(0, ++reads % 2 === 0 ? 1 : 2);
      const ports = { ...stage.ports, service: { ...stage.ports.service, list } };

      await expect(open(stage, {}, ports)).rejects.toMatchObject({ name: 'ListUnstable' });
      expect((await stage.read()).plan).toBeNull();
    });
  });
});

describe('openRollout, before its turn', () => {
  test('E08: waits with an epoch that nobody had, and reads and records nothing', async () => {
    await onStage({}, async (stage) => {
      stage.list = new Error('Not read.');

      expect(await openRelease(stage, 4, LATEST)).toEqual(
        stage.position({
          rolloutId: 'release-4',
          epoch: 0,
          next: 'queue',
          waitSeconds: 15,
          execution: begun(0),
        }),
      );
      await expect(stage.ports.ledger.read('release-4')).rejects.toMatchObject({
        name: 'RolloutNotFound',
      });
    });
  });

  test('E08: takes a version from another endpoint once, and rolls to that one after its wait', async () => {
    await onStage({}, async (stage) => {
      const ask = () =>
        openRollout(
          {
            ...{ rolloutId: 'promotion', startTime: NOW },
            input: { schemaVersion: 1, runtimeId: 'shop', versionFrom: { endpoint: 'staging' } },
          },
          () =>
            policyOf({
              ...WAVES,
              ...LATEST,
              selection: { names: ['web-*'], ids: [], exclude: [] },
            }),
          stage.ports,
        );
      const staging = (version: number) =>
        endpoint('staging', { liveVersion: version, targetVersion: version });
      stage.list = [...FLEET, staging(7)];
      expect(await ask()).toMatchObject({ next: 'queue' });

      stage.list = [...FLEET, staging(8)];
      await stage.ports.ledger.close('rollout-1', OVER, NOW);
      expect(await ask()).toMatchObject({ next: 'roll' });

      expect((await stage.ports.ledger.read('promotion')).request.desiredVersion).toBe(7);
    });
  });

  test('E03: a newer one that is refused ends nobody: who waits goes on waiting', async () => {
    await onStage({}, async (stage) => {
      expect(await openRelease(stage, 4, LATEST, NOW - 1)).toMatchObject({ next: 'queue' });

      await expect(openRelease(stage, 1, LATEST)).rejects.toMatchObject({
        name: 'DowngradeRefused',
      });
      expect(await openRelease(stage, 4, LATEST, NOW - 1)).toMatchObject({ next: 'queue' });
    });
  });

  test('E10: one that is opened meanwhile, in spite of the freeze, overtakes an older one that waits', async () => {
    await onStage({}, async (stage) => {
      stage.list = FLEET;
      await stage.ports.ledger.close('rollout-1', OVER, NOW);
      expect(await openRelease(stage, 4, FROZEN, NOW - 1)).toMatchObject({ next: 'queue' });

      expect(await openRelease(stage, 5, {})).toMatchObject({ next: 'roll' });
      expect(await openRelease(stage, 4, FROZEN, NOW - 1)).toMatchObject(OVERTAKEN);
      // However that one ends.
      await stage.ports.ledger.close('release-5', OVER, NOW);
      expect(await openRelease(stage, 4, FROZEN, NOW - 1)).toMatchObject(OVERTAKEN);
    });
  });
});
