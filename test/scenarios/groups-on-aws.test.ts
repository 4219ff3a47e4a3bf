import { describe, expect, test } from '@jest/globals';
import { ErrorName } from '../../lib/domain/errors.ts';
import { dueSchedule, ownRelease } from '../contract/trigger-examples.ts';
import { onGroupStage } from '../support/group-stage.ts';
import { MACHINE_ARN } from '../support/status-change.ts';

const FORTY = Array.from({ length: 40 }, (_, index) => `tenant-${index + 1}`);
const AT_ONCE = { maxAtRisk: 40, maxUnavailable: { percent: 100 }, waves: [{ percent: 100 }] };
/** How long a runtime takes is known when the others begin. */
const AFTER_ONE = { ...AT_ONCE, waves: [{ endpoints: 1 }, { percent: 100 }] };

describe('a group on AWS', () => {
  test('starts each runtime once, as an execution of its own state machine', () =>
    onGroupStage({ runtimes: ['a', 'b', 'c'] }, async (stage) => {
      const machine = stage.createStateMachine();
      expect(await machine.run('release-1', 2)).toMatchObject({ outcome: 'Succeeded' });
      const children = [...(await stage.children('release-1')).values()];
      expect(machine.starts.map(({ name }) => name).toSorted()).toEqual(
        children.map(({ request }) => request.rolloutId).toSorted(),
      );
      expect(new Set(machine.starts.map((one) => one.stateMachineArn))).toEqual(
        new Set([MACHINE_ARN]),
      );
      expect(children.map(({ outcome }) => outcome?.outcome)).toEqual(Array(3).fill('Succeeded'));
    }));

  test('A02: starts that are throttled are made later, and only once', () =>
    onGroupStage({ runtimes: ['a', 'b', 'c'], policy: AT_ONCE }, async (stage) => {
      const machine = stage.createStateMachine((number) => (number <= 5 ? 'throttled' : null));
      expect(await machine.run('release-1', 2)).toMatchObject({ outcome: 'Succeeded' });
      const seconds = machine.starts.map(({ at }) => at / 1_000);
      // Whoever is throttled comes back at the next look, and not at once.
      expect(machine.starts).toHaveLength(8);
      expect((seconds[5] ?? 0) - (seconds[0] ?? 0)).toBeGreaterThanOrEqual(10);
      const { journal } = await stage.ledger.read('release-1');
      const refused = journal.filter(({ reason }) => reason === ErrorName.UpstreamThrottled);
      expect(refused.map(({ result }) => result)).toEqual(Array(5).fill('rejected'));
      expect(stage.calls.filter(({ operation }) => operation === 'roll')).toHaveLength(9);
      expect(stage.mostAtRisk()).toBeLessThanOrEqual(3);
    }));

  test('A02: a start whose answer was lost is made again, and is the same execution', () =>
    onGroupStage({ runtimes: ['a', 'b'] }, async (stage) => {
      const machine = stage.createStateMachine((number) => (number === 1 ? 'lost' : null));
      expect(await machine.run('release-1', 2)).toMatchObject({ outcome: 'Succeeded' });
      expect((await stage.children('release-1')).size).toBe(2);
      const names = machine.starts.map(({ name }) => name);
      expect(names).toHaveLength(3);
      expect(names[1]).toBe(names[0]);
      await machine.end();
      expect(stage.calls.filter(({ operation }) => operation === 'roll')).toHaveLength(6);
      expect(stage.mostAtRisk()).toBe(1);
    }));

  test('begins at most 8 runtimes between two looks, however many may be in mid-roll', () =>
    onGroupStage({ runtimes: FORTY, rollSeconds: 600, policy: AFTER_ONE }, async (stage) => {
      const machine = stage.createStateMachine();
      expect(await machine.run('release-1', 2)).toMatchObject({ outcome: 'Succeeded' });
      expect(stage.mostAtRisk()).toBe(39);
      const busiest = Math.max(
        ...machine.starts.map(
          ({ at }) => machine.starts.filter((one) => one.at >= at && one.at < at + 5_000).length,
        ),
      );
      expect(busiest).toBe(8);
      // Nobody waits for the first of them to end.
      const at = machine.starts.slice(1).map((one) => one.at);
      expect(Math.max(...at) - Math.min(...at)).toBeLessThanOrEqual(60_000);
    }));

  test('goes back by executions, too, each of them started once', () =>
    onGroupStage(
      {
        runtimes: ['a', 'b', 'c'],
        faults: [{ runtime: 'b', endpoint: 'endpoint-01', version: 2, kind: 'fail' }],
        policy: { onFailure: 'roll-back' },
        ofRuntimes: { onFailure: 'roll-back' },
      },
      async (stage) => {
        const machine = stage.createStateMachine((number) => (number === 3 ? 'lost' : null));
        const outcome = await machine.run('release-1', 2);
        expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
        await machine.end();
        for (const id of ['a', 'b', 'c']) {
          expect(new Set(stage.liveVersions(id))).toEqual(new Set([1]));
        }
        const names = machine.starts.map(({ name }) => name);
        // Forward a and b, back both of them.
        expect(new Set(names).size).toBe(4);
        expect(names).toHaveLength(5);
      },
    ));

  test('an abort reaches the executions of its runtimes', () =>
    onGroupStage({ runtimes: ['a', 'b'], rollSeconds: 600 }, async (stage) => {
      const machine = stage.createStateMachine();
      const over = machine.run('release-1', 2);
      await stage.until(() => stage.calls.some(({ operation }) => operation === 'roll'));
      const at = stage.time.now();
      await stage.ledger.signal('release-1', {
        ...{ kind: 'abort', at, wave: null, by: 'ann', reason: 'wrong day' },
      });
      expect(await over).toMatchObject({ outcome: 'Aborted' });
      await machine.end();
      const [child] = (await stage.children('release-1')).values();
      expect(child?.outcome).toMatchObject({ outcome: 'Aborted' });
      expect(child?.outcome?.message).toContain('Aborted by ann: wrong day');
    }));

  test('E01: a release event for it is one rollout, however often it comes', () =>
    onGroupStage({ runtimes: ['a', 'b'] }, async (stage) => {
      const machine = stage.createStateMachine();
      const time = new Date(stage.time.now()).toISOString();
      const release = ownRelease({ runtimeId: undefined, group: 'prod', version: 2 }, { time });
      const [first, second] = await Promise.all([machine.take(release), machine.take(release)]);
      expect([first.result, second.result]).toEqual(['started', 'duplicate']);
      expect(second.outcome).toMatchObject({ outcome: 'Succeeded' });
      const { request } = await stage.ledger.read(first.rolloutId);
      expect(request).toMatchObject({
        runtimeId: 'group:prod',
        startedBy: { kind: 'release', name: 'build-41' },
      });
      expect((await stage.children(first.rolloutId)).size).toBe(2);
      expect(machine.starts).toHaveLength(2);
    }));

  test('a schedule takes the version for each runtime from an endpoint of that runtime', () =>
    onGroupStage({ runtimes: ['a', 'b'] }, async (stage) => {
      for (const [id, version] of Object.entries({ a: 2, b: 3 })) {
        const [first] = stage.world.read(id);
        stage.world.roll(id, first?.id ?? '', version);
      }
      await stage.time.sleep(60_000);
      const { outcome } = await stage.createStateMachine().take(
        dueSchedule({
          ...{ runtimeId: undefined, group: 'prod', version: undefined },
          versionFrom: { endpoint: 'endpoint-01' },
          scheduledAt: new Date(stage.time.now()).toISOString(),
        }),
      );
      expect(outcome).toMatchObject({ outcome: 'Succeeded' });
      expect(new Set(stage.liveVersions('a'))).toEqual(new Set([2]));
      expect(new Set(stage.liveVersions('b'))).toEqual(new Set([3]));
    }));

  test('a group that the deployment does not know is refused, and nothing is rolled', () =>
    onGroupStage({ runtimes: ['a'] }, async (stage) => {
      const machine = stage.createStateMachine();
      const outcome = await machine.run('release-1', 2, 'prd');
      expect(outcome).toMatchObject({ outcome: 'Refused', reason: ErrorName.InvalidInput });
      expect(outcome.message).toContain('has no group "prd"');
      expect(machine.starts).toEqual([]);
    }));
});
