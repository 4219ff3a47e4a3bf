import { describe, expect, test } from '@jest/globals';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import { type GroupScript, type GroupStage, onGroupStage } from '../support/group-stage.ts';
import { START } from '../support/scenario-time.ts';

const TEN = Array.from({ length: 10 }, (_, index) => `tenant-${index + 1}`);
const ALL = { percent: 100 };
const BACK = { onFailure: 'roll-back' } as const;

/** The version breaks this runtime, if it is rolled. */
const breaks = (runtime: string, version = 2) => ({
  runtime,
  endpoint: 'endpoint-01',
  version,
  kind: 'fail',
});

const live = (stage: GroupStage, runtimes = TEN) =>
  new Set(runtimes.flatMap((id) => stage.liveVersions(id)));

const rollsOf = (stage: GroupStage, version: number) =>
  stage.calls.filter(
    (call) => isWrite(call) && call.operation === 'roll' && call.version === version,
  );

const release = (
  script: Partial<GroupScript>,
  work: (stage: GroupStage) => Promise<void>,
): Promise<void> =>
  onGroupStage({ runtimes: TEN, ...script, policy: { ...BACK, ...script.policy } }, work);

describe('a group that goes back', () => {
  test('takes the runtimes that have succeeded to the versions that their plans recorded, one by one', () =>
    release({ faults: [breaks('tenant-6')], ofRuntimes: BACK }, async (stage) => {
      const outcome = await stage.createProcess().run('release-1', 2);
      expect(outcome).toMatchObject({
        outcome: 'Failed',
        reason: 'EndpointFailed',
        cleanup: 'rolledBack',
        message: expect.stringContaining('Rolled back: 6 of 6 on their previous versions.'),
      });
      expect(live(stage)).toEqual(new Set([1]));
      expect([...(await stage.waysBack('release-1')).keys()].toSorted()).toEqual(TEN.slice(0, 6));
      expect(stage.mostAtRiskBack()).toBe(1);
      // Five runtimes of three endpoints, and the first endpoint of the one that broke.
      expect(rollsOf(stage, 2)).toHaveLength(16);
      expect(rollsOf(stage, 1)).toHaveLength(16);
    }));

  test('is newer than what it undoes, also when a release has started it', () =>
    release({ faults: [breaks('tenant-3')], ofRuntimes: BACK }, async (stage) => {
      const startedBy = { kind: 'release', name: 'build-7', at: stage.time.now() } as const;
      const outcome = await stage.createProcess().run('release-1', { version: 2, startedBy });
      expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
      expect(live(stage)).toEqual(new Set([1]));
    }));

  test('writes nothing to a runtime whose own policy has dealt with it', () =>
    release({ faults: [breaks('tenant-3')], ofRuntimes: BACK }, async (stage) => {
      await stage.createProcess().run('release-1', 2);
      const undone = (await stage.waysBack('release-1')).get('tenant-3');
      expect(undone?.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'NothingToDo' });
      expect(undone?.journal).toEqual([]);
    }));

  test('takes back what the policy of a runtime has left on the version, and what was stopped stays stopped', () =>
    release(
      {
        faults: [{ ...breaks('tenant-3'), endpoint: 'endpoint-02', kind: 'stuck' }],
        ofRuntimes: { onFailure: 'stop-old' },
      },
      async (stage) => {
        const outcome = await stage.createProcess().run('release-1', 2);
        expect(outcome).toMatchObject({
          outcome: 'Failed',
          cleanup: 'kept',
          message: expect.stringContaining(
            'Endpoints that their own policy had stopped stay stopped: tenant-3.',
          ),
        });
        const rows = stage.world
          .read('tenant-3')
          .map(({ name, status, liveVersion }) => ({ name, status, liveVersion }));
        expect(rows).toMatchObject([
          { name: 'endpoint-01', liveVersion: 1, status: 'ACTIVE' },
          { name: 'endpoint-02', status: 'STOPPED' },
          { name: 'endpoint-03', liveVersion: 1 },
        ]);
      },
    ));

  test('goes in as many runtimes at once as may be at risk', () =>
    release(
      {
        faults: [breaks('tenant-8')],
        ofRuntimes: BACK,
        policy: { maxAtRisk: 3, maxUnavailable: ALL },
      },
      async (stage) => {
        const outcome = await stage.createProcess().run('release-1', 2);
        expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
        expect(live(stage)).toEqual(new Set([1]));
        expect(stage.mostAtRiskBack()).toBe(3);
      },
    ));

  test('stops where a way back fails, and rolls no runtime forward again', () =>
    release(
      { faults: [breaks('tenant-6'), breaks('tenant-1', 1)], ofRuntimes: BACK },
      async (stage) => {
        const outcome = await stage.createProcess().run('release-1', 2);
        expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'incomplete' });
        expect(outcome.message).toContain('not back: ');
        const forward = rollsOf(stage, 2).filter(({ at }) => at > (stage.turnedAt() ?? 0));
        expect(forward).toEqual([]);
        expect(stage.mostAtRiskBack()).toBe(1);
        expect(stage.liveVersions('tenant-5')).toEqual([2, 2, 2]);
      },
    ));

  test('tries all the others although a runtime that was lost cannot go back', () =>
    release(
      {
        faults: [breaks('tenant-6'), { ...breaks('tenant-6', 1), kind: 'refuse', httpStatus: 422 }],
        ofRuntimes: { onFailure: 'hold' },
      },
      async (stage) => {
        const outcome = await stage.createProcess().run('release-1', 2);
        expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'incomplete' });
        expect(outcome.message).toContain('5 of 6 on their previous versions, not back: tenant-6');
        expect(stage.time.now() - START).toBeLessThan(24 * 3_600_000);
        expect(live(stage, TEN.slice(0, 5))).toEqual(new Set([1]));
      },
    ));

  test('leaves a runtime to whoever has it by then', () =>
    release({ faults: [breaks('tenant-6')], ofRuntimes: BACK }, async (stage) => {
      const over = stage.createProcess().run('release-1', 2);
      await stage.until(async () => (await stage.children('release-1')).has('tenant-4'));
      const now = stage.time.now();
      const { request } = await stage.ledger.read('release-1');
      const other = { ...request, rolloutId: 'other', runtimeId: 'tenant-1', desiredVersion: 3 };
      await stage.ledger.open(other as never, now, now + 36_000_000);
      expect(await over).toMatchObject({ outcome: 'Failed', cleanup: 'kept' });
      expect((await over).message).toContain('1 left alone (elsewhere, stopped or gone)');
      expect(live(stage, TEN.slice(1))).toEqual(new Set([1]));
      expect(stage.liveVersions('tenant-1')).toEqual([2, 2, 2]);
    }));

  test('goes on where it was when its process was killed on the way back', () =>
    release({ faults: [breaks('tenant-6')], ofRuntimes: BACK }, async (stage) => {
      const first = stage.createProcess();
      const dead = first.run('release-1', 2).catch((error: unknown) => error);
      await stage.until(() => stage.turnedAt() !== null && rollsOf(stage, 1).length > 8);
      first.kill();
      expect(await dead).toBeInstanceOf(Error);
      await stage.time.sleep(600_000);
      const outcome = await stage.createProcess().run('release-1', 2);
      expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
      expect(live(stage)).toEqual(new Set([1]));
      expect(rollsOf(stage, 1)).toHaveLength(16);
    }));
});

describe('an abort with roll-back', () => {
  const abort = (at: number, onFailure: 'hold' | 'roll-back') =>
    ({ kind: 'abort', at, wave: null, onFailure, by: 'ann', reason: '' }) as const;

  test('takes back the runtimes that are on the version, and those under way by their own rollouts', () =>
    release(
      {
        rollSeconds: 120,
        policy: { onFailure: 'hold', maxAtRisk: 2, maxUnavailable: ALL, maxPollSeconds: 30 },
      },
      async (stage) => {
        const over = stage.createProcess().run('release-1', 2);
        await stage.until(() => rollsOf(stage, 2).length > 13);
        await stage.ledger.signal('release-1', abort(stage.time.now(), 'roll-back'));
        expect(await over).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
        // Nobody asks for the way back of a runtime before the rollout forward has ended.
        const { journal } = await stage.ledger.read('release-1');
        expect(journal.filter(({ result }) => result === 'rejected')).toEqual([]);
        expect(live(stage)).toEqual(new Set([1]));
        expect(stage.mostAtRiskBack()).toBe(2);
        const children = [...(await stage.children('release-1')).values()];
        const aborted = children.filter(({ outcome }) => outcome?.outcome === 'Aborted');
        expect(aborted.length).toBeGreaterThan(0);
        for (const { outcome } of aborted) expect(outcome?.cleanup).toBe('rolledBack');
      },
    ));

  test('is ended by another one that holds: the way back of the runtime under way ends, too', () =>
    release({ rollSeconds: 120, faults: [breaks('tenant-6')], ofRuntimes: BACK }, async (stage) => {
      const over = stage.createProcess().run('release-1', 2);
      await stage.until(async () => (await stage.waysBack('release-1')).has('tenant-2'));
      await stage.time.sleep(60_000);
      await stage.ledger.signal('release-1', abort(stage.time.now(), 'hold'));
      expect(await over).toMatchObject({ outcome: 'Aborted', cleanup: 'incomplete' });
      const ends = [...(await stage.waysBack('release-1')).values()].map(
        ({ outcome }) => outcome?.outcome,
      );
      expect(ends).toContain('Aborted');
      expect(live(stage)).toEqual(new Set([1, 2]));
    }));

  test('on the way back changes nothing: nobody goes forward again', () =>
    release({ rollSeconds: 120, faults: [breaks('tenant-6')], ofRuntimes: BACK }, async (stage) => {
      const over = stage.createProcess().run('release-1', 2);
      await stage.until(async () => (await stage.waysBack('release-1')).has('tenant-2'));
      await stage.time.sleep(60_000);
      await stage.ledger.signal('release-1', abort(stage.time.now(), 'roll-back'));
      expect(await over).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
      expect(live(stage)).toEqual(new Set([1]));
      expect(rollsOf(stage, 2).filter(({ at }) => at > (stage.turnedAt() ?? 0))).toEqual([]);
    }));
});

describe('a rollout of a group that is undone', () => {
  test('takes every runtime back that it has rolled, in the waves of the group, and leaves the others alone', () =>
    release({}, async (stage) => {
      stage.world.read('tenant-9').forEach(({ id }) => void stage.world.roll('tenant-9', id, 2));
      await stage.time.sleep(60_000);
      expect(await stage.createProcess().run('release-1', 2)).toMatchObject({
        outcome: 'Succeeded',
      });
      await stage.time.sleep(3_600_000);
      stage.world.read('tenant-8').forEach(({ id }) => void stage.world.roll('tenant-8', id, 7));
      await stage.time.sleep(60_000);
      const undo = { revert: 'release-1' };
      const outcome = await stage.createProcess().run('undo-1', undo);
      expect(outcome).toMatchObject({
        outcome: 'Succeeded',
        message: expect.stringContaining(
          '8 runtimes rolled to the versions before rollout "release-1" in 3 waves.',
        ),
      });
      expect(live(stage, TEN.slice(0, 7))).toEqual(new Set([1]));
      expect(live(stage, ['tenant-8'])).toEqual(new Set([7]));
      expect(live(stage, ['tenant-9'])).toEqual(new Set([2]));
      expect(
        [...(await stage.children('undo-1')).values()].map(({ request }) => request.revert),
      ).toHaveLength(8);
    }));
});
