import { describe, expect, test as nodeTest } from '@jest/globals';
import type { Hold } from '../../lib/domain/holds/hold.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { describeFates } from '../../lib/telling/words/fates.ts';
import { describePlanOf } from '../../lib/telling/words/plan.ts';
import { type GroupProcess, type GroupStage, onGroupStage } from '../support/group-stage.ts';
import {
  RUNTIME,
  type Run,
  runScenario,
  type Script,
  type Stage,
} from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const POLICY = { bakeSeconds: 0, maxUnavailable: { percent: 100 } } as const;

const fleet = (size: number) =>
  Array.from({ length: size }, (_, index) => ({ name: `web-${index + 1}` }));

async function pin(stage: Stage, name: string, id = `pin-of-${name}`): Promise<void> {
  const scope = { runtimeId: RUNTIME, endpointId: stage.idOf(name) };
  const at = scenarioNow();
  const hold: Hold = { id, kind: 'pin', scope, by: 'ann', reason: 'debugging', at, until: null };
  await stage.ledger.addHold(hold, at);
}

async function unpin(stage: Stage, name: string): Promise<void> {
  const scope = { runtimeId: RUNTIME, endpointId: stage.idOf(name) };
  const lifted = { by: 'ann', reason: 'done', at: scenarioNow() };
  await stage.ledger.liftHold({ id: `pin-of-${name}`, scope }, lifted);
}

/** Its first rollout does nothing, and then endpoints are pinned, and it is rolled. */
async function rollPinned(names: readonly string[], script: Script = {}): Promise<Run> {
  const runs: Run[] = [];
  await runScenario({
    ...{ endpoints: fleet(4), policy: POLICY, ...script, input: { version: 1 } },
    beside: async (stage) => {
      await stage.until(1000);
      for (const name of names) await pin(stage, name);
      runs.push(await stage.start('rollout-2', { policy: POLICY, ...script }));
    },
  });
  return runs[0] as Run;
}

const linesOf = ({ record }: Run) => (record === null ? [] : describePlanOf(record));

describe('an endpoint that is pinned before', () => {
  test('is in no wave, and the plan says whose the pin is, why, and how to pass it', async () => {
    const run = await rollPinned(['web-2'], {
      policy: { ...POLICY, waves: [{ percent: 34 }, { percent: 100 }] },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
    expect(run.outcome.message).toContain('1 pinned (web-2, pinned by ann: debugging)');
    expect(run.rolled).toEqual(['web-1', 'web-3', 'web-4']);
    expect(run.record?.plan?.waves.map(({ to }) => to)).toEqual([1, 3]);
    expect(linesOf(run)).toEqual(
      expect.arrayContaining([
        '  Pinned: 1 (web-2)',
        '    web-2: pinned by ann: debugging',
        '    To roll them once all the same: --unpin pin-of-web-2',
      ]),
    );
  });

  test('is rolled once by whoever passes its pin, which stays', async () => {
    const run = await rollPinned(['web-2', 'web-3'], { input: { unpin: ['pin-of-web-2'] } });

    expect(run.rolled).toEqual(['web-1', 'web-2', 'web-4']);
    expect(run.record?.request.unpin).toEqual(['pin-of-web-2']);
  });

  test('is not passed by an id that is no pin in force, and those that are in force are named', async () => {
    const run = await rollPinned(['web-2'], { input: { unpin: ['nope'] } });

    expect(run.rolled).toEqual([]);
    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'InvalidInput' });
    expect(run.outcome.message).toMatch(/"nope" is no pin in force\. In force there: pin-of-web-2/);
  });

  test('leaves nothing to roll where all are pinned', async () => {
    const run = await rollPinned(['web-1', 'web-2'], { endpoints: fleet(2) });

    expect(run.rolled).toEqual([]);
    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'EmptyScope' });
    expect(run.outcome.message).toContain(
      'To roll them once all the same: --unpin pin-of-web-1,pin-of-web-2.',
    );
  });

  test.each<[string, RolloutPolicy['waves'][number]]>([
    ['a wave of its name', { names: ['web-1'] }],
    ['its ring', { where: { tier: 'internal' } }],
  ])('is not rolled past where it was all of %s', async (_, first) => {
    const endpoints = fleet(4).map((one, index) => {
      return { ...one, attributes: { tier: index === 0 ? 'internal' : 'free' } };
    });
    const policy = { ...POLICY, waves: [first, { percent: 100 }] };
    const run = await rollPinned(['web-1'], { endpoints, policy });

    expect(run.rolled).toEqual([]);
    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'WavePinned' });
    expect(run.outcome.message).toContain('web-1, pinned by ann: debugging. To roll them once');
    const passing = { endpoints, policy, input: { unpin: ['pin-of-web-1'] } };
    expect((await rollPinned(['web-1'], passing)).rolled).toHaveLength(4);
  });

  test('is not passed by the way back of what came before, and does not keep that', async () => {
    const runs: Run[] = [];
    const script = { endpoints: fleet(2), policy: POLICY } as const;
    const run = await runScenario({
      ...script,
      beside: async (stage) => {
        await stage.until(1000);
        await pin(stage, 'web-1');
        const undo = { version: undefined, revert: 'rollout-1' };
        runs.push(await stage.start('rollout-2', { ...script, input: undo }));
      },
    });
    expect(runs[0]?.outcome.outcome).toBe('Succeeded');
    expect([...run.endpoints.values()].map(({ liveVersion }) => liveVersion)).toEqual([1, 1]);
  });
});

describe('an endpoint that is pinned while its wave is rolled', () => {
  const WITHOUT = { outcome: 'Succeeded', reason: 'ConvergedWithoutPinned', cleanup: 'none' };
  const ONE_BY_ONE = { ...POLICY, waves: [{ percent: 100 }], maxUnavailable: { endpoints: 1 } };

  test('before its roll is let go of, also once the pin is lifted, and the rollout goes on', async () => {
    const run = await runScenario({
      endpoints: fleet(4),
      policy: ONE_BY_ONE,
      beside: async (stage) => {
        await stage.untilSent('roll', 1);
        await pin(stage, 'web-3');
        await stage.untilSent('roll', 2);
        await stage.until(70);
        await unpin(stage, 'web-3');
      },
    });
    expect(run.rolled).toEqual(['web-1', 'web-2', 'web-4']);
    expect(run.outcome).toMatchObject(WITHOUT);
    expect(run.outcome.message).toContain('Let go of: web-3 is pinned meanwhile.');
    const fates = run.record === null ? [] : describeFates(run.record).map(({ text }) => text);
    expect(fates).toContain('1 not rolled (pinned): web-3');
  });

  testWithStops('after its roll is not waited for, and what becomes of it is no loss', async () => {
    const run = await runScenario({
      endpoints: fleet(3),
      policy: { ...ONE_BY_ONE, maxUnavailable: { endpoints: 2 }, onFailure: 'stop-old' },
      broken: [{ endpoint: 'web-2', kind: 'stuck', version: 2 }],
      beside: async (stage) => {
        await stage.untilSent('roll', 2);
        await pin(stage, 'web-2');
      },
    });
    expect(run.rolled).toEqual(['web-1', 'web-2', 'web-3']);
    expect(run.outcome).toMatchObject(WITHOUT);
  });

  test('in mid-roll takes its place, so that no more are unavailable than may be', async () => {
    const run = await runScenario({
      endpoints: fleet(6),
      policy: { ...ONE_BY_ONE, onFailure: 'hold' },
      broken: ['web-2', 'web-3'].map((endpoint) => ({ endpoint, kind: 'stuck', version: 2 })),
      beside: async (stage) => {
        await stage.untilSent('roll', 2);
        await pin(stage, 'web-2');
      },
    });
    expect(run.rolled).toEqual(['web-1', 'web-2']);
    expect(run.outcome).toMatchObject({ outcome: 'Failed', failure: 'stuck' });
  });

  test('leaves nothing of the only wave, and that is no success', async () => {
    const run = await runScenario({
      endpoints: fleet(1),
      policy: POLICY,
      latencyMs: 3000,
      beside: async (stage) => {
        await stage.untilSent('roll', 1);
        await pin(stage, 'web-1');
      },
    });
    expect(run.outcome).toMatchObject({ outcome: 'Superseded', reason: 'AllPinned' });
  });

  testWithStops('is not stopped', async () => {
    const run = await runScenario({
      endpoints: fleet(3),
      policy: { ...POLICY, onFailure: 'stop-old', waves: [{ percent: 100 }], minServing: 0 },
      broken: ['web-2', 'web-3'].map((endpoint) => ({ endpoint, kind: 'fail', version: 2 })),
      beside: async (stage) => {
        await stage.untilSent('stop', 1);
        await pin(stage, 'web-3');
      },
      latencyMs: 3000,
    });
    expect(run.outcome.outcome).toBe('Failed');
    expect(run.stopped).toEqual(['web-2']);
    expect(run.outcome.message).toContain('Not stopped (pinned): web-3.');
  });

  test('goes back with the others', async () => {
    const run = await runScenario({
      endpoints: fleet(3),
      policy: { ...ONE_BY_ONE, onFailure: 'roll-back' },
      broken: [{ endpoint: 'web-3', kind: 'fail', version: 2 }],
      beside: async (stage) => {
        await stage.untilSent('roll', 3);
        await pin(stage, 'web-1');
      },
    });
    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(run.endpoints.get('web-1')?.liveVersion).toBe(1);
  });

  test('leaves nothing of the first wave, and no wave follows that nothing has tried before', async () => {
    const run = await runScenario({
      endpoints: fleet(8),
      policy: { ...POLICY, waves: [{ endpoints: 1 }, { percent: 100 }] },
      latencyMs: 3000,
      beside: async (stage) => {
        await stage.untilSent('roll', 1);
        await pin(stage, 'web-1');
      },
    });
    expect(run.rolled).toEqual(['web-1']);
    expect(run.outcome).toMatchObject({ outcome: 'Superseded', reason: 'AllPinned' });
    expect(run.outcome.message).toContain('web-1 is pinned meanwhile');
  });

  test('leaves a wave empty after one that was tried, and the next one is rolled', async () => {
    const run = await runScenario({
      endpoints: fleet(3),
      policy: { ...POLICY, waves: [{ endpoints: 1 }, { endpoints: 2 }, { percent: 100 }] },
      beside: async (stage) => {
        await stage.untilSent('roll', 1);
        await pin(stage, 'web-2');
      },
    });
    expect(run.rolled).toEqual(['web-1', 'web-3']);
    expect(run.outcome).toMatchObject(WITHOUT);
  });
});

describe('a group', () => {
  const pinAll = async ({ ledger, time, world }: GroupStage, runtimeId: string) => {
    const at = time.now();
    for (const { id: endpointId } of world.read(runtimeId)) {
      const scope = { runtimeId, endpointId };
      const what = { id: endpointId, kind: 'pin', scope, by: 'ann', reason: 'debugging' };
      await ledger.addHold({ ...what, at, until: null }, at);
    }
  };
  const runtimes = ['a', 'b', 'c'];

  const engines: readonly [string, (stage: GroupStage) => Pick<GroupProcess, 'run'>][] = [
    ['on one machine', (stage) => stage.createProcess()],
    ['on a state machine', (stage) => stage.createStateMachine()],
  ];

  nodeTest.each(engines)(
    'rolls a runtime whose endpoints are all pinned with --unpin alone, %s',
    (_, on) =>
      onGroupStage({ runtimes, endpoints: 2 }, async (stage) => {
        await pinAll(stage, 'b');
        const outcome = await on(stage).run('release-1', 2);
        expect(outcome).toMatchObject({ outcome: 'Succeeded' });
        expect(runtimes.flatMap((id) => stage.liveVersions(id))).toEqual([2, 2, 1, 1, 2, 2]);

        const unpin = stage.world.read('b').map(({ id }) => id);
        const passed = await on(stage).run('release-2', { version: 2, unpin });
        expect(passed).toMatchObject({ outcome: 'Succeeded' });
        expect(stage.liveVersions('b')).toEqual([2, 2]);
        const nothing = await on(stage).run('release-3', { version: 2, unpin: ['nope'] });
        expect(nothing).toMatchObject({ outcome: 'Refused', reason: 'InvalidInput' });
      }),
  );

  nodeTest.each(engines)(
    'does not lose a runtime whose endpoints are all pinned once it is under way, %s',
    (_, on) =>
      onGroupStage({ runtimes, endpoints: 2 }, async (stage) => {
        const run = on(stage).run('release-1', 2);
        await stage.time.sleep(5_000);
        await pinAll(stage, 'c');
        expect(await run).toMatchObject({ outcome: 'Succeeded' });
        expect(stage.liveVersions('c')).toEqual([1, 1]);
      }),
  );
});
