import { describe, expect, test } from '@jest/globals';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import { type GroupScript, type GroupStage, onGroupStage } from '../support/group-stage.ts';

const THREE = ['eu-1', 'eu-2', 'tenant-a'];

/** Three runtimes with these versions. */
const stage = (work: (stage: GroupStage) => Promise<void>, said: Partial<GroupScript> = {}) =>
  onGroupStage({ runtimes: THREE, ...said }, work);

const live = (stage: GroupStage) =>
  Object.fromEntries(THREE.map((id) => [id, [...new Set(stage.liveVersions(id))]]));

describe('a group whose runtimes count their own versions', () => {
  test('takes each to its own one, and the next rollout leaves all of them out', () =>
    stage(async (stage) => {
      const versions = { 'eu-1': 7, 'eu-2': 12, 'tenant-a': 3 };
      const outcome = await stage.createProcess().run('release-1', { versions });
      expect(outcome).toMatchObject({
        outcome: 'Succeeded',
        message: '3 runtimes rolled to versions of their own in 2 waves.',
      });
      expect(live(stage)).toEqual({ 'eu-1': [7], 'eu-2': [12], 'tenant-a': [3] });
      const { request, plan } = await stage.ledger.read('release-1');
      expect(request).toMatchObject({ versions, desiredVersion: 12 });
      expect(plan?.endpoints.map(({ desiredVersion }) => desiredVersion)).toEqual([7, 12, 3]);
      const again = await stage.createProcess().run('release-2', { versions });
      expect(again).toMatchObject({ outcome: 'Succeeded', reason: 'NothingToDo' });
      expect((await stage.children('release-2')).size).toBe(0);
    }));

  test('goes back to where each was', () =>
    stage(
      async (stage) => {
        const before = { 'eu-1': 4, 'eu-2': 5, 'tenant-a': 6 };
        await stage.createProcess().run('release-1', { versions: before });
        const versions = { 'eu-1': 7, 'eu-2': 12, 'tenant-a': 9 };
        const outcome = await stage.createProcess().run('release-2', { versions });
        expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
        expect(live(stage)).toEqual({ 'eu-1': [4], 'eu-2': [5], 'tenant-a': [6] });
      },
      {
        policy: { onFailure: 'roll-back' },
        ofRuntimes: { onFailure: 'roll-back' },
        faults: [{ runtime: 'tenant-a', endpoint: 'endpoint-02', version: 9, kind: 'fail' }],
      },
    ));

  test('is refused with the faults of all, and nothing is rolled', () =>
    stage(async (stage) => {
      const outcome = await stage
        .createProcess()
        .run('release-1', { versions: { 'eu-1': 7, 'eu-3': 12, 'eu-4': 1 } });
      expect(outcome).toMatchObject({ outcome: 'Refused', reason: 'InvalidInput' });
      for (const line of [
        'eu-2: it is in the group, and has no version',
        'tenant-a: it is in the group, and has no version',
        'eu-3: it is not in the group',
        'eu-4: it is not in the group',
      ]) {
        expect(outcome.message).toContain(line);
      }
      expect(stage.calls.filter(isWrite)).toEqual([]);
    }));
});

describe('the version that each runtime finds by itself', () => {
  const versions = (...numbers: number[]) => numbers.map((version) => ({ version }));
  const LATEST = {
    'eu-1': [...versions(1, 2, 7), { version: 8, listedAfterSeconds: 5 }],
    'eu-2': versions(1, 12),
    'tenant-a': [...versions(1, 3), { version: 4, fails: true }],
  };

  test('is the latest one of each, and a newer one that comes later changes nothing', () =>
    stage(
      async (stage) => {
        const over = stage.createProcess().run('release-1', { version: 'latest' });
        await stage.until(async () => (await stage.children('release-1')).size > 0);
        expect((await stage.ledger.read('release-1')).request).toMatchObject({
          versions: { 'eu-1': 7, 'eu-2': 12, 'tenant-a': 3 },
        });
        expect(await over).toMatchObject({ outcome: 'Succeeded' });
        expect(live(stage)).toEqual({ 'eu-1': [7], 'eu-2': [12], 'tenant-a': [3] });
      },
      { versions: LATEST },
    ));

  test('is not one that is in quarantine for its runtime, unless a person wants it again', () =>
    stage(
      async (stage) => {
        const at = stage.time.now();
        const scope = { runtimeId: 'eu-1', version: 7 };
        const said = { id: 'h1', kind: 'quarantine', by: 'ann', reason: 'leaks' };
        await stage.ledger.addHold({ ...said, scope, at, until: at + 86_400_000 }, at);
        const first = await stage.createProcess().run('release-1', { version: 'latest' });
        expect(first).toMatchObject({ outcome: 'Succeeded' });
        expect(live(stage)).toEqual({ 'eu-1': [2], 'eu-2': [12], 'tenant-a': [3] });
        expect((await stage.ledger.read('release-1')).request.passedOver).toEqual([
          expect.objectContaining({ runtimeId: 'eu-1', version: 7 }),
        ]);

        const versions = { 'eu-1': 7, 'eu-2': 12, 'tenant-a': 3 };
        const again = { versions, again: true } as const;
        const second = await stage.createProcess().run('release-2', again);
        expect(second).toMatchObject({ outcome: 'Succeeded' });
        expect(live(stage)).toMatchObject({ 'eu-1': [7] });
      },
      { versions: { ...LATEST, 'eu-1': versions(1, 2, 7) } },
    ));

  test('with a runtime that is frozen for longer than any rollout waits is refused before anything is rolled', () =>
    stage(async (stage) => {
      const at = stage.time.now();
      const hold = { id: 'season', kind: 'freeze', by: 'ann', reason: 'a fair' };
      const scope = { runtimeId: 'eu-2' };
      await stage.ledger.addHold({ ...hold, scope, at, until: at + 30 * 86_400_000 }, at);
      const refused = await stage.createProcess().run('release-1', { version: 7 });
      expect(refused).toMatchObject({ outcome: 'Refused', reason: 'Held' });
      for (const word of ['eu-2', 'season', 'Leave it out'])
        expect(refused.message).toContain(word);
      expect((await stage.children('release-1')).size).toBe(0);
      expect(stage.calls.filter(isWrite)).toEqual([]);
    }));

  test.each([
    ['of all', { version: 7 }],
    ['of each', { versions: { 'eu-1': 7, 'eu-2': 7, 'tenant-a': 7 } }],
  ])(
    'by its number %s is refused before anything is rolled, with all runtimes for which it is in quarantine',
    (_, said) =>
      stage(async (stage) => {
        const at = stage.time.now();
        for (const runtimeId of ['eu-2', 'tenant-a']) {
          const hold = { id: `of-${runtimeId}`, kind: 'quarantine', by: 'ann', reason: 'leaks' };
          const scope = { runtimeId, version: 7 };
          await stage.ledger.addHold({ ...hold, scope, at, until: at + 86_400_000 }, at);
        }
        const refused = await stage.createProcess().run('release-1', said);
        expect(refused).toMatchObject({ outcome: 'Refused', reason: 'Quarantined' });
        for (const word of ['eu-2', 'of-eu-2', 'of-tenant-a'])
          expect(refused.message).toContain(word);
        expect((await stage.children('release-1')).size).toBe(0);
        expect(stage.calls.filter(isWrite)).toEqual([]);

        const again = await stage.createProcess().run('release-2', { ...said, again: true });
        expect(again).toMatchObject({ outcome: 'Succeeded' });
      }),
  );

  test('in quarantine for a runtime that is on it already keeps its group from nothing', () =>
    stage(async (stage) => {
      const versions = { 'eu-1': 7, 'eu-2': 1, 'tenant-a': 1 };
      await stage.createProcess().run('release-1', { versions });
      const at = stage.time.now();
      const scope = { runtimeId: 'eu-1', version: 7 };
      const hold = { id: 'h1', kind: 'quarantine', scope, by: 'ann', reason: 'leaks' };
      await stage.ledger.addHold({ ...hold, at, until: at + 86_400_000 }, at);
      const outcome = await stage.createProcess().run('release-2', { version: 7 });
      expect(outcome).toMatchObject({ outcome: 'Succeeded' });
      expect(live(stage)).toEqual({ 'eu-1': [7], 'eu-2': [7], 'tenant-a': [7] });
    }));

  test('is the one that is live on an endpoint of each', () =>
    stage(async (stage) => {
      for (const [index, id] of THREE.entries()) {
        const staging = stage.world.read(id).find(({ name }) => name === 'endpoint-03')?.id ?? '';
        stage.world.roll(id, staging, 5 + index);
      }
      await stage.time.sleep(120_000);
      const versionFrom = { endpoint: 'endpoint-03' };
      const outcome = await stage.createProcess().run('release-1', { versionFrom });
      expect(outcome).toMatchObject({ outcome: 'Succeeded' });
      expect(live(stage)).toEqual({ 'eu-1': [5], 'eu-2': [6], 'tenant-a': [7] });
    }));

  test('is missed by all runtimes that do not have it, in one message', () =>
    stage(async (stage) => {
      const versionFrom = { endpoint: 'staging' };
      const outcome = await stage.createProcess().run('release-1', { versionFrom });
      expect(outcome).toMatchObject({ outcome: 'Refused', reason: 'VersionUnknown' });
      expect(outcome.message).toContain('3 of the 3 runtimes cannot be rolled, so none is');
      for (const id of THREE) expect(outcome.message).toContain(`${id}: There is no version`);
    }));

  test('is found once: a group that waits for its window keeps it', () =>
    stage(
      async (stage) => {
        const freeze = { from: '2025-12-31T00:00', to: '2026-01-01T06:00', timeZone: 'UTC' };
        const policy = { freezes: [freeze] };
        const over = stage.createProcess().run('release-1', { version: 'latest', policy });
        await stage.until(async () => {
          const record = await stage.ledger.read('release-1').catch(() => null);
          return record?.wait?.for === 'window';
        });
        const { request } = await stage.ledger.read('release-1');
        expect(request).toMatchObject({ versions: { 'eu-1': 7, 'eu-2': 12, 'tenant-a': 3 } });
        expect(await over).toMatchObject({ outcome: 'Succeeded' });
        expect(live(stage)).toEqual({ 'eu-1': [7], 'eu-2': [12], 'tenant-a': [3] });
      },
      { versions: LATEST },
    ));
});
