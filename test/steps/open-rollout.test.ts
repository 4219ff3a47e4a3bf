import { describe, expect, test } from '@jest/globals';
import { fingerprintOf } from '../../lib/contract/flow/fingerprint.ts';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { acceptedAt } from '../../lib/domain/rollout/opening.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { VerifyPorts } from '../../lib/steps/io/ports.ts';
import { openRollout } from '../../lib/steps/open-rollout.ts';
import {
  DESIRED,
  endpoint,
  live,
  moving,
  planOf,
  policyOf,
  progressOf,
  seen,
} from '../domain/examples.ts';
import { freeze } from '../domain/turn/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const { ids: _ids, ...plan } = planOf([1, 2]);
const FLEET = [endpoint('web-1'), endpoint('web-2'), endpoint('web-3')];
const WAVES: Partial<RolloutPolicy> = {
  waves: [{ endpoints: 1 }, { percent: 100 }],
  maxUnavailable: { percent: 100 },
  pollSeconds: 7,
};

const open = (stage: Stage, said: object = {}, ports: VerifyPorts = stage.ports) => {
  const input = { schemaVersion: 1, runtimeId: 'shop', version: DESIRED, ...said };
  return openRollout(
    { rolloutId: 'rollout-1', startTime: NOW, input },
    { ...ports, policyOf: () => policyOf(WAVES) },
  );
};

const LATEST = { onConflict: 'latest' } as const;
/** In force at `NOW`, a midnight, and for two hours more. */
const FROZEN = { freezes: [freeze('2026-11-20T00:00', '2026-11-21T02:00')] };
const OVERTAKEN = { next: 'close', ending: { outcome: 'Superseded', reason: 'Overtaken' } };
const refused = (reason: string, message: unknown = expect.any(String)) => ({
  next: 'close',
  ending: { outcome: 'Refused', reason, message },
});
const OVER = { outcome: 'Aborted', reason: 'Aborted', cleanup: 'none', message: '' } as const;

/** A rollout after the one on the stage, with a plan that somebody agreed to. */
const openNext = async (stage: Stage, agreed: string, policy = WAVES) => {
  await stage.ports.ledger.close('rollout-1', OVER, NOW);
  const input = { schemaVersion: 1, runtimeId: 'shop', version: DESIRED, plan: agreed };
  return openRollout(
    { rolloutId: 'rollout-2', startTime: NOW, input },
    { ...stage.ports, policyOf: () => policyOf(policy) },
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
    { ...stage.ports, policyOf: () => policyOf({ ...WAVES, ...policy }) },
  );

/** An execution that began when the stage did, after as many events as lie behind and before its next step. */
const begun = (events: number) => ({ number: 1, startedAt: NOW, events: 8 + events });

describe('who started a rollout, where others may start executions', () => {
  const CEO = { kind: 'release', name: 'the-ceo', at: NOW - 60_000 } as const;
  const start = (stage: Stage, input: object, rolloutId = 'rollout-2') =>
    openRollout(
      {
        ...{ rolloutId, startTime: NOW },
        input: { schemaVersion: 1, runtimeId: 'shop', version: DESIRED, ...input },
      },
      { ...stage.ports, policyOf: () => policyOf(WAVES), isOpenToOthers: true },
    );
  const requestOf = async (stage: Stage, rolloutId = 'rollout-2') =>
    (await stage.ports.ledger.read(rolloutId)).request;

  test('is a person at the time of the execution, whatever its input says', () =>
    onStage({}, async (stage) => {
      await start(stage, { startedBy: { ...CEO, reason: 'hurry' } });
      const { startedBy } = await requestOf(stage);
      expect(startedBy).toEqual({ kind: 'person', name: 'the-ceo', at: NOW, reason: 'hurry' });
    }));

  test('is a trigger, if that was recorded before', () =>
    onStage({}, async (stage) => {
      const { policy: _, ...same } = await requestOf(stage, 'rollout-1');
      const request = { ...same, rolloutId: 'rollout-2', policy: null, startedBy: CEO };
      await stage.ports.ledger.enlist(request, acceptedAt(NOW), NOW);
      await start(stage, { startedBy: { ...CEO, name: 'another' } });
      expect((await requestOf(stage)).startedBy).toEqual(CEO);
    }));

  test('is no group that does not know it', () =>
    onStage({}, async (stage) => {
      await start(stage, { startedBy: CEO, parent: 'rollout-1', group: 'prod' });
      const request = await requestOf(stage);
      expect(request.startedBy.kind).toBe('person');
      expect(request).not.toHaveProperty('parent');
      expect(request).not.toHaveProperty('group');
    }));
});

describe('openRollout', () => {
  test('freezes the plan, and begins with one endpoint', async () => {
    await onStage({ isNew: true, policy: WAVES }, async (stage) => {
      stage.list = FLEET;

      expect(await open(stage)).toEqual(
        stage.position({
          execution: begun(4 + 7 + 9),
          next: 'roll',
          says: 'Wave 1 of 2: 0 of 3 live, rolls 1',
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
      expect(progress).toMatchObject({ wave: 0, clock: { at: NOW, watched: 0 }, observations: [] });
      expect(stage.writes).toEqual([]);
    });
  });

  test('InvalidInput: is refused, and nobody records it', async () => {
    await onStage({}, async (stage) => {
      const odd = {
        rolloutId: 'odd',
        startTime: NOW,
        input: { schemaVersion: 1, runtimeId: 'shop' },
      };

      expect(await openRollout(odd, { ...stage.ports, policyOf: () => policyOf() })).toMatchObject({
        ...refused('InvalidInput'),
        rolloutId: 'odd',
        runtimeId: 'shop',
        epoch: 0,
      });
      await expect(stage.ports.ledger.read('odd')).rejects.toThrow('knows no rollout');
    });
  });

  test('X04: what was recorded first is what was asked for, whatever is said later', async () => {
    await onStage({ isNew: true, policy: WAVES }, async (stage) => {
      stage.list = FLEET;
      const later = { version: 9, plan: '0123456789abcdef' };

      expect(await open(stage, later)).toMatchObject({ next: 'roll', waitSeconds: 7 });
      expect((await stage.read()).plan?.endpoints[0]?.desiredVersion).toBe(DESIRED);
    });
  });

  test('nothing to roll is a success without a wave', async () => {
    await onStage({ isNew: true }, async (stage) => {
      stage.list = [live('web-1')];

      expect(await open(stage)).toMatchObject({
        next: 'close',
        ending: { outcome: 'Succeeded', reason: 'NothingToDo' },
      });
      expect((await stage.read()).progress).toBeNull();
    });
  });

  test('X04: run again before its first look, it keeps the plan that it froze', async () => {
    await onStage({ plan, progress: progressOf(0, []) }, async (stage) => {
      stage.list = FLEET.slice(1);

      expect(await open(stage)).toMatchObject({ next: 'look-second-look' });
      expect(stage.told.map(({ kind }) => kind)).toContain('started');
      expect((await stage.read()).plan).toEqual(plan);
    });
  });

  test.each([
    [
      'in its second wave',
      progressOf(1, [seen('converged', 2)]),
      { wave: 1, direction: 'forward', says: 'Wave 2 of 2: 1 of 3 live, rolling' },
    ],
    [
      'on its way back',
      progressOf(0, [], { direction: 'back' }),
      { wave: 0, direction: 'back', says: 'Wave 1 of 2: 0 of 3 live, rolling' },
    ],
  ] as const)(
    'X04: run again %s, it looks at once, and the time in between was not watched',
    async (_when, progress, at) => {
      await onStage({ plan, progress }, async (stage) => {
        stage.list = new Error('Not read.');

        expect(await open(stage)).toEqual(
          stage.position({ next: 'look-second-look', waitSeconds: 0, execution: begun(9), ...at }),
        );
        const unwatched = { clock: { at: NOW, watched: 0 }, resumed: 0 };
        expect((await stage.read()).progress).toEqual({ ...progress, ...unwatched });
      });
    },
  );

  test('X04: run again in a freeze, and where its version came from moved on, it goes on all the same', async () => {
    await onStage({ plan, progress: progressOf(0, []), policy: FROZEN }, async (stage) => {
      stage.list = new Error('Not read.');
      const said = { version: undefined, versionFrom: { endpoint: 'staging' } };

      expect(await open(stage, said)).toMatchObject({ next: 'look-second-look' });
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
    [
      'another fleet',
      FLEET.slice(1),
      WAVES,
      'is not known: it is mistyped, for another version, or the fleet has changed',
    ],
    [
      'another way to do it',
      FLEET,
      { ...WAVES, onFailure: 'hold' },
      'is not known with this policy: it is mistyped, or was drawn with another policy',
    ],
    ['other waves', FLEET, { waves: [{ percent: 100 }] }, 'drawn with another policy'],
  ])('PlanChanged: %s is refused, and no plan is frozen', async (_, fleet, policy, why) => {
    await onStage({}, async (stage) => {
      stage.list = fleet;
      const agreed = fingerprintOf(plan, policyOf(WAVES));

      expect(await openNext(stage, agreed, policy)).toMatchObject(
        refused('PlanChanged', expect.stringMatching(new RegExp(`${why}.*\\.`))),
      );
      expect(await stage.ports.ledger.read('rollout-2')).toMatchObject({ plan: null });
    });
  });

  test('LeaseHeld: another rollout of the runtime reads and plans nothing', async () => {
    await onStage({}, async (stage) => {
      stage.list = new Error('Not read.');
      const input = { schemaVersion: 1, runtimeId: 'shop', version: DESIRED };
      const other = { rolloutId: 'rollout-2', startTime: NOW, input };

      expect(
        await openRollout(other, { ...stage.ports, policyOf: () => policyOf() }),
      ).toMatchObject(refused('LeaseHeld'));
    });
  });

  test.each(['ListUnstable', 'UpstreamTransient', 'UpstreamTimeout', 'UpstreamThrottled'] as const)(
    'H03: %s: waits without a lease, and plans on the first list that can be read',
    async (name) => {
      await onStage({ isNew: true, policy: WAVES }, async (stage) => {
        stage.list = new SteprollError(name, 'Not now.');

        expect(await open(stage)).toMatchObject({ next: 'open-list', waitSeconds: 7, epoch: 0 });
        const until = NOW + 600_000;
        const record = await stage.ports.ledger.read('rollout-1');
        expect(record).toMatchObject({ plan: null, wait: { for: 'list', until } });
        expect(record.wait?.of).toContain('Not now.');

        stage.now += 7_000;
        stage.list = FLEET;
        expect(await open(stage)).toMatchObject({ next: 'roll' });
        expect((await stage.read()).opening).toBeNull();
      });
    },
  );

  test('C01: a list that stays unreadable is asked for until the progress deadline, and then it could not know', async () => {
    await onStage({ isNew: true, policy: WAVES }, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTransient, 'Still not.');
      let position = await open(stage);
      for (let look = 0; position.next === 'open-list' && look < 1_000; look += 1) {
        stage.now += position.waitSeconds * 1000;
        position = await open(stage);
      }

      expect(position.ending).toEqual({
        outcome: 'Errored',
        reason: 'UpstreamTransient',
        message:
          'Nothing was rolled: the list of endpoints could not be read for 10 min. Still not.',
      });
      expect(stage.now).toBe(NOW + 600_000);
    });
  });

  test.each(['UpstreamAuth', 'UpstreamNotFound', 'UpstreamProtocol', 'UpstreamTls'] as const)(
    '%s: no waiting mends it, and it ends at once',
    async (name) => {
      await onStage({ isNew: true }, async (stage) => {
        stage.list = new SteprollError(name, 'Never.');

        await expect(open(stage)).rejects.toMatchObject({ name });
      });
    },
  );

  test('X09: aborted while it waits for the list, it rolls nothing', async () => {
    await onStage({ isNew: true, policy: WAVES }, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTransient, 'Not now.');
      await open(stage);
      const said = { kind: 'abort', at: NOW, wave: null, by: 'ann', reason: 'wrong' } as const;
      await stage.ports.ledger.signal('rollout-1', said);
      stage.list = FLEET;

      expect(await open(stage)).toMatchObject({
        next: 'close',
        ending: { outcome: 'Aborted', message: 'Aborted by ann: wrong. Nothing was rolled.' },
      });
    });
  });
});

describe('openRollout, before its turn', () => {
  test('E08: waits with an epoch that nobody had, writes nothing, and is in the ledger as one that waits', async () => {
    await onStage({}, async (stage) => {
      stage.list = FLEET;

      expect(await openRelease(stage, 4, LATEST)).toEqual(
        stage.position({
          ...{ rolloutId: 'release-4', epoch: 0, next: 'open-turn', waitSeconds: 15 },
          ...{ says: 'Waits for its turn', execution: begun(9) },
        }),
      );
      expect(await stage.ports.ledger.read('release-4')).toMatchObject({
        epoch: 0,
        request: { desiredVersion: 4 },
        wait: {
          for: 'turn',
          lookAt: NOW + 15_000,
          of: expect.stringContaining('give way'),
        },
      });
      expect(stage.writes).toEqual([]);
    });
  });

  test('E08: asks nobody to give way while the list cannot be read, and asks at the next look', async () => {
    await onStage({}, async (stage) => {
      const asked = async () =>
        (await stage.read()).signals.filter(({ kind }) => kind === 'give-way').length;
      stage.list = new SteprollError(ErrorName.UpstreamTransient, 'Not now.');
      expect(await openRelease(stage, 4, LATEST)).toMatchObject({ next: 'open-list' });
      expect(await asked()).toBe(0);

      stage.list = FLEET;
      expect(await openRelease(stage, 4, LATEST)).toMatchObject({ next: 'open-turn' });
      expect(await asked()).toBe(1);
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
          {
            ...stage.ports,
            policyOf: () =>
              policyOf({
                ...WAVES,
                ...LATEST,
                selection: { names: ['web-*'], ids: [], exclude: [] },
              }),
          },
        );
      const staging = (version: number) =>
        endpoint('staging', { liveVersion: version, targetVersion: version });
      stage.list = [...FLEET, staging(7)];
      expect(await ask()).toMatchObject({ next: 'open-turn' });

      stage.list = [...FLEET, staging(8)];
      await stage.ports.ledger.close('rollout-1', OVER, NOW);
      expect(await ask()).toMatchObject({ next: 'roll' });

      expect((await stage.ports.ledger.read('promotion')).request.desiredVersion).toBe(7);
    });
  });

  test('E03: a newer one that is refused ends nobody: who waits goes on waiting', async () => {
    await onStage({}, async (stage) => {
      expect(await openRelease(stage, 4, LATEST, NOW - 1)).toMatchObject({ next: 'open-turn' });

      stage.now += 5_000;
      expect(await openRelease(stage, 1, LATEST)).toMatchObject(refused('DowngradeRefused'));
      expect(await openRelease(stage, 4, LATEST, NOW - 1)).toMatchObject({ next: 'open-turn' });
    });
  });

  test('E10: one that is opened meanwhile, in spite of the freeze, overtakes an older one that waits', async () => {
    await onStage({}, async (stage) => {
      stage.list = FLEET;
      await stage.ports.ledger.close('rollout-1', OVER, NOW);
      expect(await openRelease(stage, 4, FROZEN, NOW - 1)).toMatchObject({ next: 'open-window' });

      // Of those that wait one looks in 5 s.
      expect(await openRelease(stage, 5, {})).toMatchObject({ next: 'open-start', waitSeconds: 5 });
      stage.now += 5_000;
      expect(await openRelease(stage, 5, {})).toMatchObject({ next: 'roll' });
      expect(await openRelease(stage, 4, FROZEN, NOW - 1)).toMatchObject(OVERTAKEN);
      // However that one ends.
      await stage.ports.ledger.close('release-5', OVER, NOW);
      expect(await openRelease(stage, 4, FROZEN, NOW - 1)).toMatchObject(OVERTAKEN);
    });
  });

  test.each([
    ['EmptyScope', { selection: { names: ['nobody-here'], ids: [], exclude: [] } }],
    ['NothingToDo', { selection: { names: ['there'], ids: [], exclude: [] } }],
  ])(
    'X03: %s: after one whose process died, it leaves that one as it is',
    async (reason, policy) => {
      await onStage({ plan, progress: progressOf(0, []) }, async (stage) => {
        stage.list = [...FLEET, endpoint('there', { liveVersion: 4, targetVersion: 4 })];
        stage.now += 3_600_000;
        const end = await openRelease(stage, 4, policy).then(
          ({ ending }) => ending?.reason,
          ({ name }) => name,
        );
        expect(end).toBe(reason);
        expect((await stage.read()).outcome).toBeNull();
        expect(await open(stage)).toMatchObject({ next: 'look-second-look', epoch: 1 });
        expect((await stage.ports.ledger.listHeld()).map(({ rolloutId }) => rolloutId)).toEqual([
          'rollout-1',
        ]);
      });
    },
  );

  test('what was taken back while it waited ends as it was closed, and reads nothing', async () => {
    await onStage({}, async (stage) => {
      stage.list = FLEET;
      await openRelease(stage, 4, LATEST);
      stage.list = new Error('Not read.');
      await stage.ports.ledger.withdraw('release-4', OVER, NOW);

      const { message: _message, cleanup: _cleanup, ...ending } = OVER;
      expect(await openRelease(stage, 4, LATEST)).toMatchObject({ next: 'close', ending });
    });
  });

  test('an outage while the version is read is waited for; what was asked for is in the ledger', async () => {
    await onStage({}, async (stage) => {
      await stage.ports.ledger.close('rollout-1', OVER, NOW);
      const versionFrom = { endpoint: 'staging' };
      const ask = () =>
        openRollout(
          {
            ...{ rolloutId: 'promotion', startTime: NOW },
            input: { schemaVersion: 1, runtimeId: 'shop', versionFrom },
          },
          { ...stage.ports, policyOf: () => policyOf(WAVES) },
        );
      stage.list = new SteprollError(ErrorName.UpstreamTransient, 'Not now.');
      expect(await ask()).toMatchObject({ next: 'open-list', epoch: 0 });
      expect(await stage.ports.ledger.read('promotion')).toMatchObject({
        request: { desiredVersion: null, versionFrom: 'staging' },
        wait: { for: 'list' },
      });

      stage.now += 7_000;
      stage.list = [...FLEET, endpoint('staging', { liveVersion: 7, targetVersion: 7 })];
      expect(await ask()).toMatchObject({ next: 'roll' });
      expect((await stage.ports.ledger.read('promotion')).request.desiredVersion).toBe(7);
    });
  });

  test.each<[string, number, Partial<RolloutPolicy>]>([
    ['far above all that is live', Number.MAX_SAFE_INTEGER, {}],
    ['above the limit of its policy', 58, { maxVersionStep: 50 }],
  ])(
    'a version %s is refused, makes nobody give way and leaves no request',
    async (_, version, policy) => {
      await onStage({}, async (stage) => {
        stage.list = FLEET;
        expect(await openRelease(stage, version, { ...LATEST, ...policy })).toMatchObject(
          refused('VersionStepRefused'),
        );

        expect((await stage.read()).signals).toEqual([]);
        const of = { runtimeId: 'shop', endpointUrl: stage.ports.service.url };
        await stage.ports.ledger.withdraw(`release-${version}`, OVER, NOW);
        const left = await stage.ports.ledger.findLatestRequest(of);
        expect(left).toMatchObject({ wakesAt: 0 });
      });
    },
  );

  test('a high version that is near what is live, or that the policy allows, is read once and then waits', async () => {
    await onStage({}, async (stage) => {
      stage.list = [endpoint('web', { liveVersion: 41_000, targetVersion: 41_000 })];
      expect(await openRelease(stage, 42_000, LATEST)).toMatchObject({ next: 'open-turn' });
      const policy = { ...LATEST, maxVersionStep: 50_000 };
      stage.now += 5_000;
      expect(await openRelease(stage, 91_000, policy)).toMatchObject({ next: 'open-turn' });

      stage.list = new Error('Not read.');
      expect(await openRelease(stage, 91_000, policy)).toMatchObject({ next: 'open-turn' });
    });
  });

  test.each([
    ['there is no such endpoint', [endpoint('web-1')]],
    ['it is on its way elsewhere', [moving('staging')]],
    ['it has failed', [endpoint('staging', { status: 'UPDATE_FAILED' })]],
  ])('VersionUnknown: %s', async (_why, list) => {
    await onStage({}, async (stage) => {
      stage.list = list;
      const input = { schemaVersion: 1, runtimeId: 'shop', versionFrom: { endpoint: 'staging' } };
      const asked = { rolloutId: 'promotion', startTime: NOW, input };

      expect(
        await openRollout(asked, { ...stage.ports, policyOf: () => policyOf() }),
      ).toMatchObject(refused('VersionUnknown'));
    });
  });
});
