import { describe, expect, test } from '@jest/globals';
import { createMemoryLedger } from '../../lib/adapters/ledger/memory/ledger.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { checks } from '../../lib/gates/checks.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { describeFates } from '../../lib/telling/words/fates.ts';
import { type GroupStage, onGroupStage } from '../support/group-stage.ts';
import { notBegun } from '../support/not-begun.ts';
import { WHOLE_POLICY } from '../support/whole-policy.ts';

const TWENTY = Array.from({ length: 20 }, (_, index) => `tenant-${index + 1}`);

const ALL = { percent: 100 };

const FREEZE = { from: '2025-12-31T00:00', to: '2026-01-03T00:00', timeZone: 'UTC' };

/** Another rollout of the runtime is under way, for an hour. */
async function rollElsewhere({ ledger, time }: GroupStage, runtimeId: string): Promise<void> {
  const now = time.now();
  const startedBy = { kind: 'person', name: 'ann', at: now } as const;
  const policy = { ...WHOLE_POLICY };
  const other = { rolloutId: 'other', runtimeId, desiredVersion: 2, policy, startedBy };
  await ledger.open(other, now, now + 3_600_000);
}

const liveEverywhere = (stage: GroupStage, runtimes: readonly string[]) =>
  new Set(runtimes.flatMap((id) => stage.liveVersions(id)));

describe('a group of 20 runtimes', () => {
  test('is rolled to a good version, one runtime after the other', () =>
    onGroupStage({ runtimes: TWENTY, endpoints: 5 }, async (stage) => {
      const outcome = await stage.createProcess().run('release-1', 2);
      expect(outcome).toMatchObject({ outcome: 'Succeeded' });
      expect(liveEverywhere(stage, TWENTY)).toEqual(new Set([2]));
      const children = await stage.children('release-1');
      expect([...children.keys()].toSorted()).toEqual(TWENTY.toSorted());
      const rolls = stage.calls.filter(({ operation }) => operation === 'roll');
      expect(rolls).toHaveLength(100);
      const parents = stage.told.filter(({ kind, parent }) => kind === 'ended' && parent);
      expect(parents.map(({ parent }) => parent)).toEqual(TWENTY.map(() => 'release-1'));
      expect(new Set(stage.told.map(({ group }) => group))).toEqual(new Set(['prod']));
    }));

  test('loses one runtime to a version that breaks every runtime', () =>
    onGroupStage(
      {
        runtimes: TWENTY,
        endpoints: 5,
        faults: [{ endpoint: 'endpoint-01', version: 2, kind: 'fail' }],
      },
      async (stage) => {
        const outcome = await stage.createProcess().run('release-1', 2);
        expect(outcome).toMatchObject({ outcome: 'Failed', reason: 'EndpointFailed' });
        const touched = TWENTY.filter((id) =>
          stage.liveVersions(id).some((version) => version !== 1),
        );
        expect([...(await stage.children('release-1')).keys()]).toEqual(['tenant-1']);
        expect(touched).toEqual([]);
        const rolls = stage.calls.filter(({ operation }) => operation === 'roll');
        expect(rolls).toHaveLength(1);
      },
    ));

  test('goes on where it was when its process was killed, with the child that was under way', () =>
    onGroupStage({ runtimes: TWENTY, endpoints: 5 }, async (stage) => {
      const first = stage.createProcess();
      const dead = first.run('release-1', 2).catch((error: unknown) => error);
      await stage.until(() => stage.liveVersions('tenant-5').includes(2));
      first.kill();
      expect(await dead).toBeInstanceOf(Error);
      const open = (await stage.children('release-1')).get('tenant-5');
      expect(open?.outcome).toBeNull();
      await stage.time.sleep(600_000);
      const outcome = await stage.createProcess().run('release-1', 2);
      expect(outcome).toMatchObject({ outcome: 'Succeeded' });
      expect(liveEverywhere(stage, TWENTY)).toEqual(new Set([2]));
      const rolls = stage.calls.filter(({ operation }) => operation === 'roll');
      expect(rolls).toHaveLength(100);
      expect((await stage.children('release-1')).size).toBe(20);
    }));
});

test('a check whose program is missing ends the rollout of a group before any of its runtimes is rolled', () => {
  const [check] = checks.schema.parse([{ name: 'talk', command: ['/opt/talk'] }]);
  const ofRuntimes = { verify: { ...WHOLE_POLICY.verify, checks: [check] } };
  const gates = { hasProgram: async (program: string) => program !== '/opt/talk' };
  return onGroupStage({ runtimes: ['a', 'b'], ofRuntimes, gates }, async (stage) => {
    const outcome = await stage.createProcess().run('release-1', 2);
    expect(outcome).toMatchObject({ outcome: 'Refused', reason: 'GateUnanswerable' });
    expect(outcome.message).toContain('there is no program /opt/talk to run');
    expect((await stage.children('release-1')).size).toBe(0);
    expect(stage.calls.filter(({ operation }) => operation === 'roll')).toEqual([]);
  });
});

test('a look at a group reads the runtimes under way: once the end of a child was seen, nobody reads it again', async () => {
  const ledger = createMemoryLedger();
  const endsRead: string[] = [];
  const readSummary: Ledger['readSummary'] = async (rolloutId) => {
    const child = await ledger.readSummary(rolloutId);
    if (child !== null && child.outcome !== null) endsRead.push(child.runtimeId);
    return child;
  };
  const fault = { runtime: 'tenant-3', endpoint: 'endpoint-01', version: 2, kind: 'fail' };
  const policy = { failureThreshold: { endpoints: 1 } };
  await onGroupStage(
    { runtimes: TWENTY, faults: [fault], policy },
    async (stage) => {
      const first = stage.createProcess();
      const dead = first.run('release-1', 2).catch((error: unknown) => error);
      await stage.until(() => stage.liveVersions('tenant-9').includes(2));
      first.kill();
      await dead;
      await stage.time.sleep(600_000);
      expect(await stage.createProcess().run('release-1', 2)).toMatchObject({
        outcome: 'Succeeded',
        reason: 'ConvergedWithinThreshold',
      });
    },
    { ledger: { ...ledger, readSummary } },
  );
  expect(endsRead.toSorted()).toEqual(TWENTY.toSorted());
});

describe('before anything is rolled', () => {
  test('every runtime is planned, and the faults of all are told together', () =>
    onGroupStage(
      { runtimes: ['a', 'b', 'c'], ofRuntimes: { maxVersionStep: 3 } },
      async (stage) => {
        stage.world.read('b').forEach(({ id }) => void stage.world.roll('b', id, 6));
        await stage.time.sleep(60_000);
        const outcome = await stage.createProcess().run('release-1', 9);
        expect(outcome).toMatchObject({ outcome: 'Refused', reason: 'VersionStepRefused' });
        expect(outcome.message).toContain('2 of the 3 runtimes cannot be rolled, so none is');
        expect(outcome.message).toMatch(/\n {2}a: Version 9 is a step of 8.*\n {2}c: Version 9/s);
        expect(stage.calls.filter(({ operation }) => operation === 'roll')).toEqual([]);
      },
    ));

  test('a runtime that is on the version already, or has nothing to roll, is left out', () =>
    onGroupStage({ runtimes: ['a', 'b', 'c'] }, async (stage) => {
      stage.world.read('b').forEach(({ id }) => void stage.world.roll('b', id, 2));
      stage.world.read('c').forEach(({ id }) => void stage.world.stop('c', id));
      await stage.time.sleep(60_000);
      const outcome = await stage.createProcess().run('release-1', 2);
      expect(outcome.message).toBe(
        '1 runtime rolled to version 2 in 1 wave. Left alone: 1 at the version already, 1 stopped already (c).',
      );
      expect([...(await stage.children('release-1')).keys()]).toEqual(['a']);
    }));
});

describe('while a group is released', () => {
  test('a failure threshold lets it go on, and the runtimes that were lost stay counted', () =>
    onGroupStage(
      {
        runtimes: TWENTY,
        faults: ['tenant-3', 'tenant-12'].map((runtime) => ({
          runtime,
          endpoint: 'endpoint-01',
          version: 2,
          kind: 'fail',
        })),
        policy: { failureThreshold: { endpoints: 2 } },
      },
      async (stage) => {
        const outcome = await stage.createProcess().run('release-1', 2);
        expect(outcome).toMatchObject({
          outcome: 'Succeeded',
          reason: 'ConvergedWithinThreshold',
        });
        expect(stage.mostAtRisk()).toBe(3);
      },
    ));

  describe('a runtime that another rollout has', () => {
    test('ends it as Superseded, with the runtimes that it has rolled left on the version', () =>
      onGroupStage(
        { runtimes: ['a', 'b', 'c'], policy: { onFailure: 'roll-back' } },
        async (stage) => {
          await rollElsewhere(stage, 'b');
          const outcome = await stage.createProcess().run('release-1', 2);
          expect(outcome).toMatchObject({
            outcome: 'Superseded',
            cleanup: 'none',
            message:
              'Wave 2 of 2: b is in the hands of somebody else on the way to version 2. At its end, 1 of 3 runtimes was on version 2, 1 on version 1, 1 elsewhere (b).',
          });
          const children = await stage.children('release-1');
          expect(children.get('b')?.outcome?.reason).toBe('LeaseHeld');
          expect([...children.keys()].toSorted()).toEqual(['a', 'b']);
          expect(liveEverywhere(stage, ['a'])).toEqual(new Set([2]));
          expect(liveEverywhere(stage, ['b', 'c'])).toEqual(new Set([1]));
        },
      ));

    test('is lost like any other within the failure threshold, and the others are rolled', () =>
      onGroupStage(
        { runtimes: ['a', 'b', 'c'], policy: { failureThreshold: { endpoints: 1 } } },
        async (stage) => {
          await rollElsewhere(stage, 'b');
          const outcome = await stage.createProcess().run('release-1', 2);
          expect(outcome).toMatchObject({
            outcome: 'Succeeded',
            message:
              '2 runtimes rolled to version 2 in 2 waves. Lost within the failure threshold: b is not live on it.',
          });
          expect(liveEverywhere(stage, ['a', 'c'])).toEqual(new Set([2]));
          expect(liveEverywhere(stage, ['b'])).toEqual(new Set([1]));
        },
      ));

    test('may be one that somebody has taken to a higher version since', () =>
      onGroupStage(
        { runtimes: ['a', 'b', 'c'], policy: { onFailure: 'roll-back' } },
        async (stage) => {
          const over = stage.createProcess().run('release-1', 2);
          await stage.until(() => stage.calls.some(({ operation }) => operation === 'roll'));
          stage.world.read('b').forEach(({ id }) => void stage.world.roll('b', id, 3));
          expect(await over).toMatchObject({ outcome: 'Superseded', cleanup: 'none' });
          const children = await stage.children('release-1');
          expect(children.get('b')?.outcome?.reason).toBe('DowngradeRefused');
          expect(liveEverywhere(stage, ['a'])).toEqual(new Set([2]));
          expect(liveEverywhere(stage, ['b'])).toEqual(new Set([3]));
        },
      ));

    test('may be one that a newer rollout has taken while its child was under way', () =>
      onGroupStage({ runtimes: ['a', 'b'], rollSeconds: 300 }, async (stage) => {
        const over = stage.createProcess().run('release-1', 2);
        await stage.until(() => stage.calls.some(({ operation }) => operation === 'roll'));
        const at = stage.time.now();
        const startedBy = { kind: 'person', name: 'ann', at } as const;
        const newer = {
          rolloutId: 'newer',
          runtimeId: 'a',
          desiredVersion: 3,
          policy: null,
          startedBy,
        };
        const waiting = notBegun(at, { for: 'turn', lookAt: at + 3_600_000 });
        await stage.ledger.enlist(newer, waiting, at);
        const [child] = (await stage.children('release-1')).values();
        const giveWay = {
          kind: 'give-way',
          at,
          wave: null,
          by: 'newer',
          reason: 'Ann was later',
        } as const;
        await stage.ledger.signal(child?.request.rolloutId ?? '', giveWay);
        expect(await over).toMatchObject({ outcome: 'Superseded', cleanup: 'none' });
        const children = await stage.children('release-1');
        expect([...children.values()].map((each) => each.outcome?.outcome)).toEqual(['Superseded']);
      }));
  });

  describe('a runtime whose own rollout is refused', () => {
    const REFUSED = 'b is not rolled, because its rollout was refused (EmptyScope). b: ';

    /** It has nothing to roll any more, once the runtime before it is rolled. */
    async function emptyAfterPlan({ world, until, liveVersions }: GroupStage, runtimeId = 'b') {
      await until(() => liveVersions('a').includes(2));
      world.read(runtimeId).forEach(({ id }) => void world.stop(runtimeId, id));
    }

    const fatesOf = async (stage: GroupStage) =>
      describeFates(await stage.ledger.read('release-1')).map(({ text }) => text);

    test('is not rolled, and says nothing about the version', () =>
      onGroupStage(
        {
          runtimes: ['a', 'b', 'c'],
          policy: { onFailure: { stuck: 'hold', bad: 'roll-back' } },
        },
        async (stage) => {
          const over = stage.createProcess().run('release-1', 2);
          await emptyAfterPlan(stage);
          const outcome = await over;
          expect(outcome).toMatchObject({
            outcome: 'Failed',
            failure: 'stuck',
            reason: 'EmptyScope',
            message: expect.stringContaining(`Wave 2 of 2: ${REFUSED}`),
          });
          expect(await fatesOf(stage)).toEqual([
            '1 not rolled (EmptyScope): b',
            '1 live on version 2: a',
            '1 not rolled: c',
          ]);
          expect(await stage.ledger.listHolds()).toEqual([]);
          expect((await stage.children('release-1')).get('b')?.outcome?.outcome).toBe('Refused');
          expect(liveEverywhere(stage, ['a'])).toEqual(new Set([2]));
          expect(liveEverywhere(stage, ['c'])).toEqual(new Set([1]));
        },
      ));

    test('has no way back where its group goes back', () =>
      onGroupStage(
        { runtimes: ['a', 'b', 'c'], policy: { onFailure: 'roll-back' } },
        async (stage) => {
          const over = stage.createProcess().run('release-1', 2);
          await emptyAfterPlan(stage);
          const outcome = await over;
          expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
          expect(outcome.message).toContain('Rolled back: 1 of 1 on their previous versions.');
          expect([...(await stage.waysBack('release-1')).keys()]).toEqual(['a']);
          expect(await fatesOf(stage)).toEqual([
            '1 not rolled (EmptyScope): b',
            '1 back on the version before: a',
            '1 not rolled: c',
          ]);
        },
      ));

    test('counts towards the failure threshold, also for a process that goes on with the group', () =>
      onGroupStage(
        { runtimes: ['a', 'b', 'c', 'd'], policy: { failureThreshold: { endpoints: 1 } } },
        async (stage) => {
          const first = stage.createProcess();
          const dead = first.run('release-1', 2).catch((error: unknown) => error);
          await emptyAfterPlan(stage);
          await stage.until(() => stage.liveVersions('c').includes(2));
          first.kill();
          await dead;
          await stage.time.sleep(600_000);
          const outcome = await stage.createProcess().run('release-1', 2);
          expect(outcome).toMatchObject({
            outcome: 'Succeeded',
            reason: 'ConvergedWithinThreshold',
          });
          expect(outcome.message).toContain(
            'Not rolled within the failure threshold: b is refused.',
          );
          expect(outcome.message).not.toContain('Lost');
          expect(await fatesOf(stage)).toEqual([
            '1 not rolled (EmptyScope): b',
            '3 live on version 2: a, c, d',
          ]);
        },
      ));

    test('is told beside one that has failed', () =>
      onGroupStage(
        {
          runtimes: ['a', 'b', 'c'],
          rollSeconds: 120,
          faults: [{ runtime: 'c', endpoint: 'endpoint-01', version: 2, kind: 'fail' }],
          policy: { maxAtRisk: 3, maxUnavailable: ALL },
        },
        async (stage) => {
          const over = stage.createProcess().run('release-1', 2);
          await emptyAfterPlan(stage);
          const outcome = await over;
          expect(outcome).toMatchObject({ outcome: 'Failed', reason: 'EndpointFailed' });
          expect(outcome.message).toMatch(
            /Wave 2 of 2: c is .*in a failed state, and b is not rolled,/,
          );
        },
      ));

    test('is in other hands when somebody else is rolling it to another version', () =>
      onGroupStage(
        { runtimes: ['a', 'b', 'c'], rollSeconds: 600, policy: { onFailure: 'roll-back' } },
        async (stage) => {
          const over = stage.createProcess().run('release-1', 3);
          await stage.until(() => stage.liveVersions('a').every((version) => version === 3));
          stage.world.read('b').forEach(({ id }) => void stage.world.roll('b', id, 2));
          expect(await over).toMatchObject({ outcome: 'Superseded', cleanup: 'none' });
          const children = await stage.children('release-1');
          expect(children.get('b')?.outcome?.reason).toBe('InOtherHands');
          expect(liveEverywhere(stage, ['a'])).toEqual(new Set([3]));
        },
      ));
  });

  test('an abort ends the child that is under way as well', () =>
    onGroupStage(
      { runtimes: ['a', 'b'], rollSeconds: 600, policy: { maxAtRisk: 2, maxUnavailable: ALL } },
      async (stage) => {
        const over = stage.createProcess().run('release-1', 2);
        await stage.until(async () => (await stage.children('release-1')).size > 0);
        await stage.time.sleep(60_000);
        const at = stage.time.now();
        const abort = { kind: 'abort', at, wave: null, by: 'ann', reason: 'wrong day' } as const;
        await stage.ledger.signal('release-1', abort);
        expect(await over).toMatchObject({ outcome: 'Aborted' });
        const children = [...(await stage.children('release-1')).values()];
        expect(children.map(({ outcome }) => outcome?.outcome)).toEqual(['Aborted']);
        expect(children[0]?.outcome?.message).toContain('Aborted by ann: wrong day');
      },
    ));

  test('an abort ends a child at once that waits for its window, and nobody waits for the window', () =>
    onGroupStage({ runtimes: ['a', 'b'], ofRuntimes: { freezes: [FREEZE] } }, async (stage) => {
      const over = stage.createProcess().run('release-1', 2);
      await stage.until(async () => (await stage.children('release-1')).size > 0);
      await stage.time.sleep(60_000);
      const at = stage.time.now();
      const abort = { kind: 'abort', at, wave: null, by: 'ann', reason: '' } as const;
      await stage.ledger.signal('release-1', abort);
      expect(await over).toMatchObject({ outcome: 'Aborted' });
      const [child] = (await stage.children('release-1')).values();
      expect(child).toMatchObject({ epoch: 0, outcome: { outcome: 'Aborted' } });
      expect(stage.time.now() - at).toBeLessThan(120_000);
    }));
});

describe('E08: a newer release of a group, with the policy latest', () => {
  const TWICE = { onConflict: 'latest' } as const;

  test('waits until the runtime in mid-roll has ended, and then releases all of them', () =>
    onGroupStage({ runtimes: ['a', 'b', 'c'], policy: TWICE }, async (stage) => {
      const older = stage.createProcess().run('release-1', 2);
      await stage.until(() => stage.calls.some(({ operation }) => operation === 'roll'));
      const newer = stage.createProcess().run('release-2', 3);
      expect(await older).toMatchObject({ outcome: 'Superseded', reason: 'GaveWay' });
      const [first] = (await stage.children('release-1')).values();
      expect(first?.outcome).toMatchObject({ outcome: 'Succeeded' });
      expect((await stage.children('release-1')).size).toBe(1);
      expect(await newer).toMatchObject({ outcome: 'Succeeded' });
      expect(liveEverywhere(stage, ['a', 'b', 'c'])).toEqual(new Set([3]));
      expect((await stage.children('release-2')).size).toBe(3);
    }));

  test('is refused at once if it could not begin, and the older one goes on', () =>
    onGroupStage(
      { runtimes: ['a', 'b'], policy: TWICE, ofRuntimes: { maxVersionStep: 3 } },
      async (stage) => {
        const older = stage.createProcess().run('release-1', 2);
        await stage.until(() => stage.calls.some(({ operation }) => operation === 'roll'));
        const newer = stage.createProcess().run('release-2', 9);
        expect(await newer).toMatchObject({ outcome: 'Refused', reason: 'VersionStepRefused' });
        expect(await older).toMatchObject({ outcome: 'Succeeded' });
      },
    ));

  test('an older one that waits for its window is overtaken', () =>
    onGroupStage(
      { runtimes: ['a', 'b'], policy: { ...TWICE, freezes: [FREEZE] } },
      async (stage) => {
        const older = stage.createProcess().run('release-1', 2);
        await stage.time.sleep(60_000);
        const newer = stage.createProcess().run('release-2', 3);
        expect(await older).toMatchObject({ outcome: 'Superseded', reason: 'Overtaken' });
        expect(await newer).toMatchObject({ outcome: 'Succeeded' });
        expect((await stage.children('release-1')).size).toBe(0);
      },
    ));
});

test('a group whose service cannot be reached ends within ten minutes, whatever the deadline of its progress', () =>
  onGroupStage(
    { runtimes: ['tenant-1', 'tenant-2'] },
    async (stage) => {
      const began = stage.time.now();
      const outcome = await stage.createProcess().run('release-1', 2);
      expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'UpstreamTransient' });
      expect(stage.time.now() - began).toBeLessThan(700_000);
    },
    {
      onCall() {
        throw new SteprollError(ErrorName.UpstreamTransient, 'connect ECONNREFUSED');
      },
    },
  ));
